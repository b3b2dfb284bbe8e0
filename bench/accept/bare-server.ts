// The baselines: a bare Fastify handler that reads the same form and answers the same body, and keeps nothing; on
// `/insert` it commits one row before it answers.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fastify from 'fastify';
import pg from 'pg';

type Insert = (form: string) => Promise<unknown>;
const CREATE = 'create table bare_rows (form text not null)';
const INSERT = 'insert into bare_rows (form) values';

const insertIntoSqlite = (directory: string): Insert => {
  const database = new DatabaseSync(join(directory, 'bare.db'));
  database.exec(`pragma journal_mode = wal; pragma synchronous = full; ${CREATE}`);
  const insert = database.prepare(`${INSERT} (?)`);
  return async (form) => insert.run(form);
};

const insertIntoPostgres = async (url: string): Promise<Insert> => {
  const pool = new pg.Pool({ connectionString: url, max: 8 });
  await pool.query(CREATE);
  return (form) => pool.query({ name: 'insert', text: `${INSERT} ($1)`, values: [form] });
};

const [directory = '', url = ''] = process.argv.slice(2);
const insert = url === '' ? insertIntoSqlite(directory) : await insertIntoPostgres(url);
const answerFor = (mediaId: string) => ({
  MediaResponse: { message: mediaId, status: 202, downloadUrl: '', fileSize: 0, mediaId: '', uri: '' },
});

type Route = { Params: { mediaId: string }; Body: URLSearchParams };
const app = fastify();
app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
  done(null, new URLSearchParams(String(body))),
);
app.post<Route>('/answer/:mediaId', (request, reply) => {
  reply.code(202).send(answerFor(request.params.mediaId));
});
app.post<Route>('/insert/:mediaId', async (request, reply) => {
  await insert(request.body.toString());
  return reply.code(202).send(answerFor(request.params.mediaId));
});
process.stdout.write(`${JSON.stringify({ public: await app.listen({ host: '127.0.0.1', port: 0 }) })}\n`);
