import type { EventFeed } from '../app/publish-events.ts';
import { type Event, eventData } from '../domain/event.ts';
import type { EventRange } from '../domain/event-port.ts';
import type { WakeAfter } from '../domain/ports.ts';
import type { Store, Views } from '../domain/store-port.ts';
import { isoTime } from './iso-time.ts';

export type ReaderOf = (views: Views) => Promise<{ readonly applicationId: string | null } | null>;

export interface EventStreamOptions {
  readonly store: Store;
  readonly events: Pick<EventFeed, 'subscribe'>;
  readonly wakeAfter: WakeAfter;
  /** Whose events, of a null application all: the stream ends when there is none any more, as of a revoked key. */
  readonly readerOf: ReaderOf;
  /** The last event that was seen, '0' for all that are kept, null for those to come. */
  readonly afterId: string | null;
  /** Ends the stream. */
  readonly signal: AbortSignal;
}

const PAGE = 100;
/** A comment this often, so that proxies and the listener see that the line lives; the key is looked up as often. */
const HEARTBEAT_MS = 5000;

/**
 * The text of a stream. Nothing is kept for a reader: each page is read from the database once the one before has gone
 * out, so one that reads slowly holds up nobody but itself, and one that stops reading is cut by the listener.
 */
export const eventStream = async function* (options: EventStreamOptions): AsyncGenerator<string> {
  const { store, readerOf, afterId, signal } = options;
  const { wait, close } = createWaiter(options);
  try {
    const range = await store.view((views) => views.readEventRange());
    yield 'retry: 2000\n\n';
    if (isLost(afterId, range)) yield resetText(range);
    let lastId = isLost(afterId, range) ? '0' : (afterId ?? range.lastId);
    let isCaughtUp = false;
    while (!signal.aborted) {
      const page = await store.view(async (views) => {
        const reader = await readerOf(views);
        return reader && views.listEvents(reader.applicationId, lastId, PAGE);
      });
      if (page === null) return;
      lastId = page.at(-1)?.id ?? lastId;
      if (page.length > 0) yield page.map(eventText).join('');
      if (page.length === PAGE) continue;
      if (!isCaughtUp) yield ': that is all until now\n\n';
      isCaughtUp = true;
      if (!(await wait())) yield ': \n\n';
    }
  } finally {
    close();
  }
};

/** Whether events after that one are gone, or it was never given out: its database was another one. */
const isLost = (afterId: string | null, { lastId, sweptId }: EventRange): boolean =>
  afterId !== null && afterId !== '0' && (Number(afterId) < Number(sweptId) || Number(afterId) > Number(lastId));

const resetText = ({ sweptId }: EventRange): string =>
  `event: reset\ndata: ${JSON.stringify({ type: 'reset', keptAfter: sweptId })}\n\n`;

const eventText = (event: Event): string =>
  `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(eventData(event, isoTime(event.at)))}\n\n`;

/** `wait` resolves with true when there may be news, or the stream ends, and with false when the line was silent. */
const createWaiter = ({ events, wakeAfter, signal }: EventStreamOptions) => {
  let isNews = false;
  let wake = (): void => {};
  const onNews = (): void => {
    isNews = true;
    wake();
  };
  const unsubscribe = events.subscribe(onNews);
  signal.addEventListener('abort', onNews, { once: true });
  return {
    async wait(): Promise<boolean> {
      let cancel = (): void => {};
      if (!isNews)
        await new Promise<void>((resolve) => {
          wake = resolve;
          cancel = wakeAfter(HEARTBEAT_MS, resolve);
        });
      cancel();
      const wasNews = isNews;
      isNews = false;
      return wasNews;
    },
    close: unsubscribe,
  };
};
