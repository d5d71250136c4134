// What stands before the service, or is wrong with it, made of real programs.
import { setTimeout as pause } from 'node:timers/promises';
import { certify } from './world.mjs';

const front = { url: 'https://10.9.0.2:9443/v1' };
const pass =
  'proxy_pass https://10.9.0.2:8443; proxy_http_version 1.1; proxy_set_header Connection "";';
const caching = `${pass} proxy_cache c; proxy_cache_valid 200 1m; proxy_ignore_headers Cache-Control Expires;`;

/** Listens with a certificate of its own if that is for other names or days. */
const behindNginx =
  (inside, { server = '', names, days, hasService = true } = {}) =>
  async (world) => {
    if (hasService) await world.service();
    const cert = names || days ? 'other' : 'service';
    if (cert === 'other') certify(world.folder, cert, names, days);
    world.write(
      'nginx.conf',
      `daemon off; user root; worker_processes 1; pid nginx.pid; error_log stderr; events {}
http { access_log off; client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3; uwsgi_temp_path t4; scgi_temp_path t5;
proxy_cache_path cache keys_zone=c:1m; server { listen 9443 ssl; ssl_certificate ${cert}.pem; ssl_certificate_key ${cert}.key; ${server}
location / { ${inside} } } }`,
    );
    await world.serve(9443, `nginx -p ${world.folder} -c nginx.conf -e stderr`);
    return front;
  };

const haproxyDefaults = `global
  tune.ssl.default-dh-param 2048
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
`;

const behindHaproxy = (bind) => async (world) => {
  await world.service();
  world.write(
    'haproxy.cfg',
    `${haproxyDefaults}
frontend f
  bind 10.9.0.2:9443 ssl crt service.both ${bind}
  default_backend b
backend b
  server s 10.9.0.2:8443 ssl verify none
`,
  );
  await world.serve(9443, 'haproxy -f haproxy.cfg');
  return front;
};

/** HAProxy speaks TLS on both sides of it. */
async function behindVarnish(world) {
  await world.service();
  world.write(
    'v.vcl',
    `vcl 4.1;
backend default { .host = "127.0.0.1"; .port = "8081"; }
sub vcl_recv { if (req.method == "GET") { return (hash); } return (pass); }
sub vcl_backend_response { set beresp.ttl = 60s; }
`,
  );
  world.write(
    'haproxy.cfg',
    `${haproxyDefaults}
frontend f
  bind 10.9.0.2:9443 ssl crt service.both
  default_backend v
backend v
  server v 127.0.0.1:8080
frontend g
  bind 127.0.0.1:8081
  default_backend s
backend s
  server s 10.9.0.2:8443 ssl verify none
`,
  );
  const { folder } = world;
  await world.serve(9443, 'haproxy -f haproxy.cfg');
  await world.serve(
    8080,
    `varnishd -F -n ${folder}/v -j none -a 127.0.0.1:8080 -f ${folder}/v.vcl`,
  );
  return front;
}

const behindSquid = (rules) => async (world) => {
  await world.service();
  const own =
    'http_port 10.9.0.2:3128\npid_filename none\ncache deny all\naccess_log none\ncache_log /dev/null\nconnect_timeout 2 minutes';
  world.write('squid.conf', `${own}\n${rules}\n`);
  await world.serve(3128, `squid -N -n ${world.id} -f ${world.folder}/squid.conf`);
  return { env: { HTTPS_PROXY: 'http://10.9.0.2:3128' } };
};

const behindTinyproxy = (settings) => async (world) => {
  await world.service();
  const own = `Port 3129\nListen 10.9.0.2\nLogFile "${world.folder}/log"`;
  world.write('tiny.conf', `${own}\n${settings}\n`);
  await world.serve(3129, 'tinyproxy -d -c tiny.conf');
  return { env: { HTTPS_PROXY: 'http://10.9.0.2:3129' } };
};

const direct = async (world) => void (await world.service());

const named = (addresses, nameServer) => async (world) => {
  await world.service();
  if (nameServer) world.dns(nameServer);
  const hosts = addresses.map((address) => `--host-record=pets.test,${address}`).join(' ');
  const own = 'dnsmasq -k -C /dev/null -R -h --listen-address=10.9.0.2 --bind-interfaces';
  await world.serve(53, `${own} ${hosts}`);
  return { url: 'https://pets.test:8443/v1' };
};

async function waitingForSilentHost(world) {
  return { ...(await behindSquid('http_access allow all')(world)), url: 'https://10.9.0.7/v1' };
}

async function pastSubnet(world) {
  await world.service();
  return { env: { HTTPS_PROXY: 'http://10.9.0.2:1', NO_PROXY: '10.9.0.0/24' } };
}

async function silentService(world) {
  await world.service();
  await pause(100);
  world.link('silent');
}

const clientCertificate = 'ssl_verify_client on; ssl_client_certificate own.pem;';
const passwordRules = `auth_param basic program /bin/cat
auth_param basic realm x
acl known proxy_auth REQUIRED
http_access allow known
http_access deny all`;
const oldTls = 'ssl-min-ver TLSv1.0 ssl-max-ver TLSv1.1 ciphers DEFAULT@SECLEVEL=0';
const addSlash = 'rewrite ^(.*[^/])$ https://10.9.0.2:9443$1/ permanent;';

/** Name, program that it needs, what to open; then options of the link, flags of each command, and what runs before them. */
export const faults = [
  ['a good network', '', direct],
  ['300 ms there and back', '', direct, { link: { delay: 150 } }],
  ['5 % of all packets are lost', '', direct, { link: { delay: 20, loss: 5 } }],
  ['20 % are lost', '', direct, { link: { delay: 20, loss: 20 } }],
  [
    'a connection is closed after five requests',
    'nginx',
    behindNginx(pass, { server: 'keepalive_requests 5;' }),
  ],
  [
    '600 ms, and a second address that is dead',
    'dnsmasq',
    named(['10.9.0.2', '10.9.0.7']),
    { link: { delay: 300 } },
  ],
  ['a name server that is silent', 'dnsmasq', named(['10.9.0.2'], '10.9.0.7')],
  ['nginx with a cache of authorized answers', 'nginx', behindNginx(caching), { before: ['list'] }],
  [
    'varnish with a cache of authorized answers',
    'varnishd',
    behindVarnish,
    { before: ['list'], pauseMs: 1_500 },
  ],
  [
    'a client certificate is required (haproxy)',
    'haproxy',
    behindHaproxy('verify required ca-file own.pem'),
  ],
  [
    'a client certificate is required (nginx)',
    'nginx',
    behindNginx(pass, { server: clientCertificate }),
  ],
  ['TLS 1.1 alone', 'haproxy', behindHaproxy(oldTls)],
  ['HTTP/2 alone (haproxy, which closes without a word)', 'haproxy', behindHaproxy('proto h2')],
  [
    'a certificate that has expired',
    'nginx',
    behindNginx(pass, { days: ['20200101', '20210301'] }),
  ],
  ['a certificate for another host', 'nginx', behindNginx(pass, { names: ['DNS:shop.test'] })],
  ['403 with a page', 'nginx', behindNginx('return 403;')],
  ['413', 'nginx', behindNginx(pass, { server: 'client_max_body_size 5;' })],
  ['304', 'nginx', behindNginx('return 304;')],
  [
    'a redirect to another address',
    'nginx',
    behindNginx('return 301 https://new.test$request_uri;'),
  ],
  ['a redirect to a path with a slash', 'nginx', behindNginx(addSlash)],
  ['no service behind nginx', 'nginx', behindNginx(pass, { hasService: false })],
  ['squid', 'squid', behindSquid('http_access allow all')],
  ['squid that wants a password', 'squid', behindSquid(passwordRules)],
  ['squid that forbids', 'squid', behindSquid('http_access deny all')],
  [
    'squid that waits for a silent host',
    'squid',
    waitingForSilentHost,
    { flags: ['--timeout', '12s'] },
  ],
  ['tinyproxy that forbids', 'tinyproxy', behindTinyproxy('Deny 0.0.0.0/0')],
  ['a subnet in NO_PROXY', '', pastSubnet],
  ['a service that is silent', '', silentService, { flags: ['--timeout', '3s'] }],
];
