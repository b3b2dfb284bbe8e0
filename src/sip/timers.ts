/** Timer values of RFC 3261 table 4 and RFC 6026 8.4 for unreliable transports, in milliseconds. */
export const T1_MS = 500;
export const T2_MS = 4_000;
export const T4_MS = 5_000;

const PATIENCE_MS = 64 * T1_MS;

/** First interval of the retransmissions A, E and G. */
export const FIRST_RETRANSMIT_MS = T1_MS;
/** INVITE client: no answer at all. */
export const TIMER_B_MS = PATIENCE_MS;
/** INVITE client: repeated refusals are still acknowledged. */
export const TIMER_D_MS = PATIENCE_MS;
/** Non-INVITE client: no final answer. */
export const TIMER_F_MS = PATIENCE_MS;
/** INVITE server: no ACK of a refusal. */
export const TIMER_H_MS = PATIENCE_MS;
/** INVITE server: repeated ACKs are still absorbed. */
export const TIMER_I_MS = T4_MS;
/** Non-INVITE server: repeated requests are still answered. */
export const TIMER_J_MS = PATIENCE_MS;
/** Non-INVITE client: repeated final answers are still absorbed. */
export const TIMER_K_MS = T4_MS;
/** INVITE server, accepted: ACKs still reach the transaction user (RFC 6026). */
export const TIMER_L_MS = PATIENCE_MS;
/** INVITE client, accepted: repeated and forked 2xx still reach the transaction user (RFC 6026). */
export const TIMER_M_MS = PATIENCE_MS;
/** The transaction user's own limits: a CANCEL that brings no final answer (9.1), a 2xx that brings no ACK (13.3.1.4). */
export const ABANDON_MS = PATIENCE_MS;

/** The next interval of timers E and G, which T2 caps (RFC 3261 17.1.2.1, 17.2.1). */
export const doubledUpToT2 = (intervalMs: number): number => Math.min(2 * intervalMs, T2_MS);
