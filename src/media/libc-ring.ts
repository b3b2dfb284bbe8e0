import { constants } from 'node:os';
import { getSystemErrorName } from 'node:util';
import { MAX_BATCH } from './call-sockets.ts';
import { type Libc, MSG_DONTWAIT } from './libc.ts';
import type { LibcOutbox, OnFailed } from './libc-outbox.ts';

const { EAGAIN } = constants.errno;

/** `struct io_uring_params`: two counts, flags, features; where in the ring each thing lies. */
const PARAMS_BYTES = 120;
const [SQ_ENTRIES, CQ_ENTRIES, FLAGS, FEATURES, SQ_OFFSETS, CQ_OFFSETS] = [0, 1, 2, 5, 10, 20];
const [TAIL, RING_MASK, ARRAY] = [1, 2, 6];
const [CQ_HEAD, CQ_TAIL, CQ_MASK, CQES] = [0, 1, 2, 5];
const SINGLE_MMAP = 1 << 0;
const CQE_SKIP = 1 << 11;
const SUBMIT_ALL = 1 << 7;
const COOP_TASKRUN = 1 << 8;
const SINGLE_ISSUER = 1 << 12;
const DEFER_TASKRUN = 1 << 13;
const OFFSET_OF_SQES = 0x10000000;
const READ_AND_WRITE = 3;
const SHARED_AND_POPULATED = 0x8001;

/** A submission in words of 32 bits: operation and flags, descriptor, address, length, flags of the message, our number. */
const SQE_WORDS = 16;
const [FD, ADDRESS, LENGTH, MESSAGE_FLAGS, USER_DATA] = [1, 4, 6, 7, 8];
const OP_SENDMSG = 9;
/** Nothing is told of a message that was taken. */
const SKIP_SUCCESS = 1 << 6;
const CQE_WORDS = 4;
const TWO_TO_32 = 2 ** 32;

/** Memory shared with the kernel, and where in it each thing lies. */
interface Ring {
  readonly fd: number;
  readonly words: Uint32Array;
  readonly submissions: Uint32Array;
  readonly mask: number;
  readonly sqTail: number;
  readonly cqHead: number;
  readonly cqTail: number;
  readonly cqMask: number;
  readonly cqes: number;
}

/** Makes a ring and answers what the kernel says of it. */
const setUp = (libc: Libc, keep: (ring: number) => void) => {
  const params = new Uint32Array(PARAMS_BYTES / 4);
  params[FLAGS] = SUBMIT_ALL | COOP_TASKRUN | SINGLE_ISSUER | DEFER_TASKRUN;
  const fd = libc.ioUringSetup(MAX_BATCH, libc.addressOf(params.buffer));
  if (fd < 0) throw new Error(`io_uring cannot be used (${getSystemErrorName(-libc.errno())}).`);
  keep(fd);
  const at = (word: number): number => params[word] ?? 0;
  if ((~at(FEATURES) & (SINGLE_MMAP | CQE_SKIP)) !== 0) throw new Error('io_uring of this kernel is too old.');
  return { fd, at };
};

const openRing = (libc: Libc, keep: (ring: number) => void): Ring => {
  const { fd, at } = setUp(libc, keep);
  const map = (length: number, offset: number): Uint32Array => {
    const address = libc.mmap(0, length, READ_AND_WRITE, SHARED_AND_POPULATED, fd, offset);
    if (address < 0) throw new Error(`io_uring cannot be mapped (${getSystemErrorName(-libc.errno())}).`);
    return new Uint32Array(libc.memoryAt(address, length));
  };
  const sq = (field: number): number => at(SQ_OFFSETS + field) >> 2;
  const cq = (field: number): number => at(CQ_OFFSETS + field) >> 2;
  const words = map(4 * Math.max(sq(ARRAY) + at(SQ_ENTRIES), cq(CQES) + at(CQ_ENTRIES) * CQE_WORDS), 0);
  const submissions = map(4 * SQE_WORDS * at(SQ_ENTRIES), OFFSET_OF_SQES);
  const [mask, cqMask] = [words[sq(RING_MASK)] ?? 0, words[cq(CQ_MASK)] ?? 0];
  for (let entry = 0; entry <= mask; entry += 1) words[sq(ARRAY) + entry] = entry;
  return {
    fd,
    words,
    submissions,
    mask,
    sqTail: sq(TAIL),
    cqHead: cq(CQ_HEAD),
    cqTail: cq(CQ_TAIL),
    cqMask,
    cqes: cq(CQES),
  };
};

/** What is the same in all submissions. */
const fillIn = (submissions: Uint32Array): void => {
  for (let sqe = 0; sqe < submissions.length; sqe += SQE_WORDS) {
    submissions[sqe] = OP_SENDMSG | (SKIP_SUCCESS << 8);
    submissions[sqe + LENGTH] = 1;
    submissions[sqe + MESSAGE_FLAGS] = MSG_DONTWAIT;
  }
};

/**
 * All messages of a flush by one system call: `io_uring`, Linux 6.1. The kernel sends them one after the other within the
 * call, so that nothing is on its way when it returns. Throws where that is not to be had, which containers often forbid.
 */
export const createRingOutbox = (libc: Libc, keep: (ring: number) => void): LibcOutbox => {
  const { fd, words, submissions, mask, sqTail, cqHead, cqTail, cqMask, cqes } = openRing(libc, keep);
  fillIn(submissions);
  let flushed = words[sqTail] ?? 0;
  let tail = flushed;

  const rowAt = (entry: number): number => submissions[(entry & mask) * SQE_WORDS + USER_DATA] ?? 0;
  /** What the kernel did not even look at is as if it had not been put. */
  const takeBack = (taken: number, errno: number, onFailed: OnFailed): void => {
    const end = tail;
    tail = (flushed + taken) >>> 0;
    words[sqTail] = tail;
    for (let entry = tail; entry !== end; entry = (entry + 1) >>> 0) onFailed(rowAt(entry), errno);
  };
  const tellFailures = (onFailed: OnFailed): void => {
    for (let head = words[cqHead] ?? 0; head !== words[cqTail]; head = (head + 1) >>> 0) {
      const cqe = cqes + (head & cqMask) * CQE_WORDS;
      words[cqHead] = head + 1;
      onFailed(words[cqe] ?? 0, -((words[cqe + 2] ?? 0) | 0));
    }
  };

  return {
    put(socket, message, row) {
      const sqe = (tail & mask) * SQE_WORDS;
      submissions[sqe + FD] = socket;
      submissions[sqe + ADDRESS] = message;
      submissions[sqe + ADDRESS + 1] = message / TWO_TO_32;
      submissions[sqe + USER_DATA] = row;
      tail = (tail + 1) >>> 0;
    },
    flush(onFailed) {
      const count = (tail - flushed) >>> 0;
      if (count === 0) return;
      words[sqTail] = tail;
      const taken = libc.ioUringEnter(fd, count);
      if (taken !== count) takeBack(Math.max(0, taken), taken < 0 ? libc.errno() : EAGAIN, onFailed);
      flushed = tail;
      tellFailures(onFailed);
    },
  };
};
