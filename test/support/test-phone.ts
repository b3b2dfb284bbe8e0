import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openPhone, type PhoneEvent, type PhoneOptions } from '../../src/phone/phone.ts';

/** A folder that is removed when the test is over. */
export const makeRecordDirectory = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'ringcast-phone-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
};

export type EventOf<T extends PhoneEvent['type']> = Extract<PhoneEvent, { type: T }>;

/** A phone, and what happened on it; switched off when the test is over. */
export const openTestPhone = async (options: Partial<PhoneOptions> = {}) => {
  const events: PhoneEvent[] = [];
  let wake = (): void => {};
  const phone = await openPhone({
    listen: { address: '127.0.0.1', port: 0 },
    recordDirectory: null,
    answerAfterMs: 0,
    behaviour: 'answer',
    onEvent: (event) => {
      events.push(event);
      wake();
    },
    ...options,
  });
  onTestFinished(() => phone.close());
  /** The first event of that type, or the `nth` (from 1), past or to come. */
  const until = async <T extends PhoneEvent['type']>(type: T, nth = 1): Promise<EventOf<T>> => {
    for (;;) {
      const found = events.filter((event): event is EventOf<T> => event.type === type)[nth - 1];
      if (found) return found;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { phone, events, until };
};
