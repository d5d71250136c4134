// What a short script does without petstore: read the whole list, hold it, print a category a line.
const { PETSTORE_BASE_URL: url, PETSTORE_API_KEY: key } = process.env;

const response = await fetch(`${url}/categories`, { headers: { authorization: `Bearer ${key}` } });
if (!response.ok) throw new Error(String(response.status));
for (const category of await response.json()) console.log(JSON.stringify(category));
