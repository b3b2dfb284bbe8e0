/**
 * The process that ingests: its settings are its argument, orders come and reports go by the channel that `fork` made.
 * It ends with the server, however that ends, and its decoders end with it.
 */
import { AppError } from '../domain/app-error.ts';
import { createIngestFile } from './ingest-file.ts';
import type { IngestOrder, IngestReport, IngestSettings } from './ingest-messages.ts';

const report = (what: IngestReport): void => void process.send?.(what);

const settings: IngestSettings = JSON.parse(process.argv[2] ?? '');
const ingest = createIngestFile(settings, { debug: (fields, line) => report({ type: 'said', fields, line }) });

const failure = (error: unknown): { code: AppError['code'] | null; reason: string } => {
  if (error instanceof AppError) return { code: error.code, reason: error.message };
  return { code: null, reason: String(error instanceof Error ? error.stack : error) };
};

const obey = async ({ id, path, limits, processing }: IngestOrder): Promise<void> => {
  try {
    report({ type: 'done', id, audio: await ingest(path, limits, processing) });
  } catch (error) {
    report({ type: 'failed', id, ...failure(error) });
  }
};

// Uploads go on while a server drains: what asks it to stop may be sent to all of its group.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
process.title = 'ringcast-ingest';
process.on('disconnect', () => process.exit());
process.on('message', (order: IngestOrder) => void obey(order));
