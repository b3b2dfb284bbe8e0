import { type Static, Type } from 'typebox';

/** The envelopes of the media interface: every member is always there, unused ones empty or 0. */
export const MediaResponse = Type.Object({
  MediaResponse: Type.Object({
    message: Type.String(),
    status: Type.Integer(),
    downloadUrl: Type.String(),
    fileSize: Type.Integer(),
    mediaId: Type.String(),
    uri: Type.String(),
  }),
});
export type MediaResponse = Static<typeof MediaResponse>;

export const UploadResponse = Type.Object({
  UploadResponse: Type.Object({
    message: Type.String(),
    status: Type.Integer(),
    grantId: Type.String(),
    uri: Type.String(),
  }),
});
export type UploadResponse = Static<typeof UploadResponse>;

/** Makes the body of one answer out of its status and message. */
export type Envelope = (status: number, message: string) => MediaResponse | UploadResponse;

export const mediaResponse = (
  status: number,
  message: string,
  upload: { downloadUrl: string; fileSize: number; mediaId: string; uri: string } | null = null,
): MediaResponse => ({
  MediaResponse: {
    message,
    status,
    downloadUrl: upload?.downloadUrl ?? '',
    fileSize: upload?.fileSize ?? 0,
    mediaId: upload?.mediaId ?? '',
    uri: upload?.uri ?? '',
  },
});

export const uploadResponse = (
  status: number,
  message: string,
  grant: { grantId: string; uri: string } | null = null,
): UploadResponse => ({
  UploadResponse: { message, status, grantId: grant?.grantId ?? '', uri: grant?.uri ?? '' },
});
