import { stories } from '../support/story.ts';

const heads = [
  [429, 'rate limit exceeded'],
  [403, 'rate limit exceeded'],
  [503, 'the service is unavailable (503)'],
].map(
  ([status, message]) => `binds other processes as soon as the head of a ${status} has come
    list! & < ${status} 40 slow 20s => 75
    1s later
    list! => 75; until 40s; sent 0; event {"message":"${message}","outcome":"not_sent"}`,
);

stories(
  'a wait that the service names',
  `
  ${heads.join('\n\n')}

  binds no request with another key
    list! < 429 600 => 75
    PETSTORE_API_KEY=test-key-fedcba9876543210 list! < 200 => sent 1
    list! => 75; sent 0

  binds no request of another service
    list! < 429 600 => 75
    PETSTORE_BASE_URL=http://127.0.0.1:4011/v1 list! < 200 => sent 1
    list! => 75; sent 0

  binds the same service under an address with a slash at its end
    list! < 429 600 => 75
    PETSTORE_BASE_URL=http://127.0.0.1:4010/v1// list! => 75; sent 0

  ends a window without a reset
    list < 429 2 left 0 limit 60 => at 2s

  ends a window whose reset is far away
    list < 429 2 left 0/60 for 99999h => at 2s

  ends a window whose reset is past
    list < 429 2 left 0/60 for -60s => at 2s
`,
);

const inRow = [
  ['a second', '3 x 429 1', 0, '2 3 300'],
  ['a second', '3 x 429 1', 0.99, '2 4 300'],
  ['a second and a half', '3 x 429 1.5', 0, '3 4 300'],
  ['nothing', '6 x 429', 0, '3 18 63 65 69 300'],
  ['nothing', '6 x 429', 0.99, '3 19 65 69 77 300'],
].map(
  ([told, answers, draw, gaps]) => `that name ${told}, where petstore draws ${draw}
    draw ${draw}
    list --max-wait inf < ${answers} => gaps ${gaps}`,
);

stories(
  '429s in a row are waited out longer and longer',
  `
  ${inRow.join('\n\n')}

  but count as one if they were in flight together
    file pets.csv name a b c d e f g h i j
    import pets.csv
    3 x list < 3 x 429 1 after 1s => sent 6; at 5s

  three, with a 500 between them
    create! a < 429 1 => 75
    10s later
    create! b < 429 1 => 75
    10s later
    create! c < 500, 429 1 => 6; sent 2
    list! => 75; until 380s; sent 0

  three, with a success between them
    create! a < 429 1 => 75
    10s later
    create! b < 429 1 => 75
    10s later
    create! c
    10s later
    create! d < 429 1 => 75
    list! => 75; until 31s; sent 0

  two and a 503
    create! a < 429 1 => 75
    10s later
    create! b < 503 1, 429 1 => 6; sent 2
    list! => 75; until 72s; sent 0
`,
);

stories(
  '--max-wait',
  `
  inf never gives up because of the limit
    list --max-wait inf < 429 1, 403 1, 429 1, 403 1, 429 1 => sent 6

  is for all waits of a request together
    list --max-wait 70s < 429 30, 429 30 => sent 3

  ends a request before one that is too long
    list --max-wait 50s < 429 30, 429 30 => 75; sent 2; at 30s

  is for each row of an import, however many wait before it
    plan 1/min
    file pets.csv name ant bee cat
    import pets.csv --max-wait 70s => json {"counts":{"created":3}}
`,
);
