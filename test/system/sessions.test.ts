import { describe } from 'vitest';
import { expect, pathWithPetstore, test } from '../support/program.ts';

/** Sessions of users, as they would type or write them, and what they see. */
const sessions = [
  {
    session: 'staging is set up as a second profile, used, and left',
    script: `
      petstore sandbox --json > sandbox.json &
      until grep -q '^}' sandbox.json 2>/dev/null; do sleep 0.1; done
      petstore config set base-url "$(jq -r .PETSTORE_BASE_URL sandbox.json)" --profile staging
      jq -r .PETSTORE_API_KEY sandbox.json | petstore auth login --profile staging 2>/dev/null
      petstore auth status --profile staging --json | jq -r .profile
      petstore categories create ferret --description 'Steals socks' -p staging -o csv
      export PETSTORE_PROFILE=staging
      petstore categories list -o tsv --no-header --columns name,id --sort name
      petstore config get profile
      petstore auth logout
      petstore categories list || echo "exit $?"
      kill %1`,
    says: [
      'staging',
      'id,name,description',
      '4,ferret,Steals socks',
      'cat\t2',
      'dog\t1',
      'ferret\t4',
      'rabbit\t3',
      'staging',
      'exit 4',
    ],
  },
  {
    session: 'a script in CI branches on exit codes and reads results and events as JSON',
    script: `
      cat > ci.sh <<'END'
        set -u
        id=$(petstore categories create parrot --json 2>events.ndjson | jq .id)
        echo "created $id"
        jq -r 'select(.event == "rate_limit") | .remaining' events.ndjson
        petstore categories create parrot --if-missing --json 2>/dev/null | jq .id
        petstore categories list -o ndjson 2>/dev/null | jq -r 'select(.name == "parrot") | .id'
        petstore categories create '' --json 2>error.json; echo "exit $?"
        jq -r '.kind + ", " + .outcome' error.json
        printf 'name\\nparrot\\nbudgie\\n' | petstore categories import - --format csv --yes --json 2>/dev/null | jq -c .counts
        PETSTORE_API_KEY=wrong-key-of-nobody petstore categories list --json 2>error.json; echo "exit $?"
        jq -r 'select(.event == "error") | .kind' error.json
END
      CI=true petstore sandbox -- bash ci.sh 2>/dev/null`,
    says: [
      'created 4',
      '59',
      '4',
      '4',
      'exit 2',
      'usage, not_sent',
      '{"created":1,"existing":1}',
      'exit 4',
      'auth',
    ],
  },
];

describe.concurrent('a session of a new user', () => {
  test.for(sessions)(
    '$session (needs bash and jq)',
    { tags: ['jq'] },
    async ({ script, says }, { folder, execute }) => {
      const PATH = pathWithPetstore(folder);

      const { stdout, stderr } = await execute('bash', ['-euc', script], { env: { PATH } });

      expect(stdout.trimEnd().split('\n'), stderr).toEqual(says);
    },
  );
});
