import type { Failure } from '../sip/machine.ts';

/** Why nothing came of a request, in a sentence; `error` is what the transport said, if it did. */
export const failureWords = (method: string, failure: Failure, error?: Error): string => {
  if (failure === 'timeout') return 'No SIP answer came.';
  return error ? `The ${method} failed: ${error.message}` : `The ${method} could not be sent.`;
};
