/** Ids are opaque and case-sensitive; digits are never turned into numbers (`007` is not `7`). */
const ID = /^[A-Za-z0-9_.-]{1,64}$/;
const MEDIA_ID = /^[A-Za-z0-9_.]{1,64}$/;

/** Whether `text` may be an id of anything but a media. */
export const isId = (text: string): boolean => ID.test(text);

/** Whether `text` may be a media id: no hyphen, since a blast's path joins media ids with hyphens. */
export const isMediaId = (text: string): boolean => MEDIA_ID.test(text);

/** Blank means empty or white space only; a blank required parameter is a missing one. */
export const isBlank = (text: string | undefined | null): boolean => text == null || text.trim() === '';
