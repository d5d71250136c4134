// What stands before the service, or is wrong with it, made of real programs.
import { setTimeout as pause } from 'node:timers/promises';
import { certify } from './world.mjs';

const nginx = (
  inside,
  server = '',
) => `daemon off; user root; worker_processes 1; pid nginx.pid; error_log stderr; events {}
http { access_log off; client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3; uwsgi_temp_path t4; scgi_temp_path t5;
proxy_cache_path cache keys_zone=c:1m; server { listen 9443 ssl; ssl_certificate CERT.pem; ssl_certificate_key CERT.key; ${server}
location / { ${inside} } } }`;
const pass =
  'proxy_pass https://10.9.0.2:8443; proxy_http_version 1.1; proxy_set_header Connection "";';

const behindNginx =
  (inside, { server, cert = 'service', hasService = true } = {}) =>
  async (world) => {
    if (hasService) await world.service();
    world.write('nginx.conf', nginx(inside, server).replaceAll('CERT', cert));
    await world.serve(9443, 'nginx', '-p', world.folder, '-c', 'nginx.conf', '-e', 'stderr');
    return { url: 'https://10.9.0.2:9443/v1' };
  };

const behindHaproxy = (bind) => async (world) => {
  await world.service();
  world.write(
    'haproxy.cfg',
    `global\n  tune.ssl.default-dh-param 2048\ndefaults\n  mode http\n  timeout connect 5s\n  timeout client 60s\n  timeout server 60s
frontend f\n  bind 10.9.0.2:9443 ssl crt service.both ${bind}\n  default_backend b\nbackend b\n  server s 10.9.0.2:8443 ssl verify none\n`,
  );
  await world.serve(9443, 'haproxy', '-f', 'haproxy.cfg');
  return { url: 'https://10.9.0.2:9443/v1' };
};

const proxied = (port, more = {}) => ({ env: { HTTPS_PROXY: `http://10.9.0.2:${port}`, ...more } });

const behindSquid =
  (rules, user = '') =>
  async (world) => {
    await world.service();
    world.write(
      'squid.conf',
      `http_port 10.9.0.2:3128\npid_filename none\ncache deny all\naccess_log none\ncache_log /dev/null\nconnect_timeout 2 minutes\n${rules}\n`,
    );
    await world.serve(3128, 'squid', '-N', '-n', world.id, '-f', `${world.folder}/squid.conf`);
    return { env: { HTTPS_PROXY: `http://${user}10.9.0.2:3128` } };
  };

const behindTinyproxy = (settings) => async (world) => {
  await world.service();
  world.write(
    'tiny.conf',
    `Port 3129\nListen 10.9.0.2\nLogFile "${world.folder}/log"\n${settings}\n`,
  );
  await world.serve(3129, 'tinyproxy', '-d', '-c', 'tiny.conf');
  return proxied(3129);
};

const direct = async (world) => void (await world.service());

const named = (addresses, nameServer) => async (world) => {
  await world.service();
  if (nameServer) world.dns(nameServer);
  const hosts = addresses.map((address) => `--host-record=pets.test,${address}`);
  await world.serve(
    53,
    'dnsmasq',
    '-k',
    '-C',
    '/dev/null',
    '-R',
    '-h',
    '--listen-address=10.9.0.2',
    '--bind-interfaces',
    ...hosts,
  );
  return { url: 'https://pets.test:8443/v1' };
};

/** Name, program that it needs, options of the link, what to open, flags of each command. */
export const faults = [
  ['a good network', '', {}, direct],
  ['300 ms there and back', '', { delay: 150 }, direct],
  ['5 % of all packets are lost', '', { delay: 20, loss: 5 }, direct],
  ['20 % are lost', '', { delay: 20, loss: 20 }, direct],
  [
    'a connection is closed after five requests',
    'nginx',
    {},
    behindNginx(pass, { server: 'keepalive_requests 5;' }),
  ],
  [
    '600 ms, and a second address that is dead',
    'dnsmasq',
    { delay: 300 },
    named(['10.9.0.2', '10.9.0.7']),
  ],
  ['a name server that is silent', 'dnsmasq', {}, named(['10.9.0.2'], '10.9.0.7')],
  [
    'nginx with a cache of authorized answers',
    'nginx',
    {},
    behindNginx(
      `${pass} proxy_cache c; proxy_cache_valid 200 1m; proxy_ignore_headers Cache-Control Expires;`,
    ),
    [],
    ['list'],
  ],
  [
    'varnish with a cache of authorized answers',
    'varnishd',
    {},
    async (world) => {
      await world.service();
      world.write(
        'v.vcl',
        'vcl 4.1; backend default { .host = "127.0.0.1"; .port = "8081"; } sub vcl_recv { if (req.method == "GET") { return (hash); } return (pass); } sub vcl_backend_response { set beresp.ttl = 60s; }',
      );
      world.write(
        'haproxy.cfg',
        'defaults\n  mode http\n  timeout connect 5s\n  timeout client 60s\n  timeout server 60s\nfrontend f\n  bind 10.9.0.2:9443 ssl crt service.both\n  default_backend v\nbackend v\n  server v 127.0.0.1:8080\nfrontend g\n  bind 127.0.0.1:8081\n  default_backend s\nbackend s\n  server s 10.9.0.2:8443 ssl verify none\n',
      );
      await world.serve(9443, 'haproxy', '-f', 'haproxy.cfg');
      await world.serve(
        8080,
        'varnishd',
        '-F',
        '-n',
        `${world.folder}/v`,
        '-j',
        'none',
        '-a',
        '127.0.0.1:8080',
        '-f',
        `${world.folder}/v.vcl`,
      );
      return { url: 'https://10.9.0.2:9443/v1' };
    },
    [],
    ['list'],
    1_500,
  ],
  [
    'a client certificate is required (haproxy)',
    'haproxy',
    {},
    behindHaproxy('verify required ca-file own.pem'),
  ],
  [
    'a client certificate is required (nginx)',
    'nginx',
    {},
    behindNginx(pass, { server: 'ssl_verify_client on; ssl_client_certificate own.pem;' }),
  ],
  [
    'TLS 1.1 alone',
    'haproxy',
    {},
    behindHaproxy('ssl-min-ver TLSv1.0 ssl-max-ver TLSv1.1 ciphers DEFAULT@SECLEVEL=0'),
  ],
  ['HTTP/2 alone (haproxy, which closes without a word)', 'haproxy', {}, behindHaproxy('proto h2')],
  [
    'a certificate that has expired',
    'nginx',
    {},
    async (world) => {
      certify(world.folder, 'old', undefined, ['20200101', '20210301']);
      return behindNginx(pass, { cert: 'old' })(world);
    },
  ],
  [
    'a certificate for another host',
    'nginx',
    {},
    async (world) => {
      certify(world.folder, 'other', ['DNS:shop.test']);
      return behindNginx(pass, { cert: 'other' })(world);
    },
  ],
  ['403 with a page', 'nginx', {}, behindNginx('return 403;')],
  ['413', 'nginx', {}, behindNginx(pass, { server: 'client_max_body_size 5;' })],
  ['304', 'nginx', {}, behindNginx('return 304;')],
  [
    'a redirect to another address',
    'nginx',
    {},
    behindNginx('return 301 https://new.test$request_uri;'),
  ],
  [
    'a redirect to a path with a slash',
    'nginx',
    {},
    behindNginx('rewrite ^(.*[^/])$ https://10.9.0.2:9443$1/ permanent;'),
  ],
  ['no service behind nginx', 'nginx', {}, behindNginx(pass, { hasService: false })],
  ['squid', 'squid', {}, behindSquid('http_access allow all')],
  [
    'squid that wants a password',
    'squid',
    {},
    behindSquid(
      'auth_param basic program /bin/cat\nauth_param basic realm x\nacl known proxy_auth REQUIRED\nhttp_access allow known\nhttp_access deny all',
    ),
  ],
  ['squid that forbids', 'squid', {}, behindSquid('http_access deny all')],
  [
    'squid that waits for a silent host',
    'squid',
    {},
    async (world) => ({
      ...(await behindSquid('http_access allow all')(world)),
      url: 'https://10.9.0.7/v1',
    }),
    ['--timeout', '12s'],
  ],
  ['tinyproxy that forbids', 'tinyproxy', {}, behindTinyproxy('Deny 0.0.0.0/0')],
  [
    'a subnet in NO_PROXY',
    '',
    {},
    async (world) => {
      await world.service();
      return proxied(1, { NO_PROXY: '10.9.0.0/24' });
    },
  ],
  [
    'a service that is silent',
    '',
    {},
    async (world) => {
      await world.service();
      await pause(100);
      world.link('silent');
      return {};
    },
    ['--timeout', '3s'],
  ],
];
