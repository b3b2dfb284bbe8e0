/** What other use cases may ask of the dialer. */
export interface DialerHandle {
  /** Calls were accepted: look for due ones now. */
  wake(): void;
  /** Ends attempts in progress, by CANCEL or BYE. Unknown ones are ignored: they ended already. */
  cancel(attemptIds: readonly string[]): void;
  /** Frames sent so far of each clip of an attempt in progress, or null if it is not in progress here. */
  framesSent(attemptId: string): readonly number[] | null;
  /** True from SIGTERM on: no new call is taken. */
  isDraining(): boolean;
  /** Calls that this node dialled in the last minute, if overload made others wait all that time and still does. */
  callsPerMinuteOverloaded(): number | null;
}
