/** Codecs that the test phone decodes: samples can be compared with what was sent, one by one. */
export const PHONE_CODECS = ['PCMU', 'PCMA'] as const;
export type PhoneCodec = (typeof PHONE_CODECS)[number];
