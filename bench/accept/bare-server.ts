// The baseline: a bare Fastify handler that reads the same form and answers the same body, and keeps nothing.
import fastify from 'fastify';

const app = fastify();
app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
  done(null, new URLSearchParams(String(body))),
);
app.post<{ Params: { mediaId: string } }>('/api/rest/media/:mediaId', (request, reply) => {
  reply.code(202).send({
    MediaResponse: {
      message: request.params.mediaId,
      status: 202,
      downloadUrl: '',
      fileSize: 0,
      mediaId: '',
      uri: '',
    },
  });
});
const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${JSON.stringify({ public: url })}\n`);
