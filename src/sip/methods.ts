/** Every method that IANA has registered for SIP: a server that knows one and does not serve it says 405, not 501. */
const REGISTERED: ReadonlySet<string> = new Set([
  'ACK',
  'BYE',
  'CANCEL',
  'INFO',
  'INVITE',
  'MESSAGE',
  'NOTIFY',
  'OPTIONS',
  'PRACK',
  'PUBLISH',
  'REFER',
  'REGISTER',
  'SUBSCRIBE',
  'UPDATE',
]);

export const isRegisteredMethod = (method: string): boolean => REGISTERED.has(method);
