import apiReference from '@scalar/fastify-api-reference';
import fastify from 'fastify';

/**
 * Reads the library that shows the reference of the API, one file that needs no other. Scalar's plugin of Fastify has it in its code and serves it;
 * the package of the library itself has it as a file, and brings ten times as many packages.
 */
export async function readScalar() {
  const server = fastify();
  server.register(apiReference, { configuration: { url: '/openapi.json' } });
  const { statusCode, body } = await server.inject('/reference/js/scalar.js');
  await server.close();
  if (statusCode !== 200) throw new Error(`the plugin of Scalar responded with ${statusCode}`);
  return body;
}
