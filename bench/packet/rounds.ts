/** Sends a packet for each call, flat out; how many that were. */
export type Rounds = () => number;
