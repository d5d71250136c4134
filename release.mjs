// Makes what a release consists of in release/, and publishes nothing: npm run release [-- TAG]
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
const [, newest = ''] = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m);
const [heading, ...changes] = newest.split('\n');
const notes = changes.join('\n').trim();
const [tag = `v${version}`] = process.argv.slice(2);
const changed = run('git status --porcelain');

demand(
  tag === `v${version}`,
  `The tag is ${tag}, but the version in package.json is ${version}, which takes the tag v${version}.
To set another tag, delete this one. Run: git push --delete origin ${tag}`,
);
demand(
  heading.replace(/ \(\d{4}-\d\d-\d\d\)$/, '@') === `${version}@` && notes,
  `The newest section of CHANGELOG.md begins with "## ${heading}".
It should begin with "## ${version} (YYYY-MM-DD)" and say what changed.`,
);
demand(!changed, `These changes are in no commit:\n${changed}\nRun: git stash --include-untracked`);

const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;
// The registry takes provenance only from a package that names the repository in which it was made.
if (GITHUB_REPOSITORY)
  run(
    `npm pkg set repository.type=git repository.url=git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git`,
  );
rmSync('release', { recursive: true, force: true });
mkdirSync('release');
const packed = run('npm pack --silent --pack-destination release');
const file = `./release/${packed}`;
const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
const bom = listBundled(JSON.parse(run('npm sbom --sbom-format cyclonedx')));
writeFileSync(`${file}.sha256`, `${sha256}  ${packed}\n`);
writeFileSync(file.replace(/tgz$/, 'cdx.json'), `${JSON.stringify(bom, null, 2)}\n`);
writeFileSync('release/notes.md', `${notes}\n`);
// npm refuses a version that is published already or older than the latest, and a prerelease without a tag of its own.
run(
  `npm publish --dry-run --loglevel error ${file}${version.includes('-') ? ' --tag next' : ''}`,
  'For another version, run: npm version VERSION --no-git-tag-version',
);

console.log(`release/ has ${packed} (SHA-256 ${sha256}), the SBOM
of the ${bom.components.length} packages that it bundles, and notes.md. Nothing was published.`);
if (!process.argv[2]) console.log(`Run: git tag ${tag} && git push origin ${tag}`);

function run(command, advice = '') {
  const options = { shell: true, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] };
  const { status, stdout } = spawnSync(command, options);
  demand(status === 0, `failed: ${command}\n${advice}`.trimEnd());
  return stdout.trimEnd();
}

function demand(isMet, text) {
  if (isMet) return;
  console.error(text);
  process.exit(1);
}

/** Reduces an SBOM to what is bundled, all of which npm takes for a tool of development. */
function listBundled(bom) {
  const notices = `\n${readFileSync('dist/THIRD-PARTY-NOTICES.txt', 'utf8')}`;
  const component = { ...bom.metadata.component, name };
  const components = bom.components
    .filter((part) => notices.includes(`\n${part.name} ${part.version}\n`))
    .map((part) => ({ ...part, scope: 'required', properties: [] }));
  const refs = [component, ...components].map((part) => part['bom-ref']);
  const dependencies = bom.dependencies
    .filter(({ ref }) => refs.includes(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((id) => refs.includes(id)) }));
  return { ...bom, metadata: { ...bom.metadata, component }, components, dependencies };
}
