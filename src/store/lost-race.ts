/** Another unit of work was first, and what this one has read is no longer so: it is rolled back and run again. */
export class LostRace extends Error {
  override readonly name = 'LostRace';
}
