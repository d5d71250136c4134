// What a client generated from the interface takes: of the types that are generated nothing is left when it runs.
import createClient from 'openapi-fetch';

const client = createClient({
  baseUrl: process.env.PETSTORE_BASE_URL,
  headers: { authorization: `Bearer ${process.env.PETSTORE_API_KEY}` },
});

const { data, error } = await client.GET('/categories');
if (!data) throw new Error(JSON.stringify(error));
for (const category of data) console.log(JSON.stringify(category));
