// What a careful script does without petstore: create one category, retry on 429 with exponential backoff.
import pRetry from 'p-retry';

const { PETSTORE_BASE_URL: url, PETSTORE_API_KEY: key } = process.env;

await pRetry(
  async () => {
    const response = await fetch(`${url}/categories`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: process.argv[2] }),
    });
    if (!response.ok) throw new Error(String(response.status));
  },
  { retries: 10 },
);
