/** The part of sdp-transform that is used here; the package ships no types of its own. */
declare module 'sdp-transform' {
  export interface Rtpmap {
    payload: number;
    codec: string;
    rate?: number | undefined;
    /** Channels. */
    encoding?: string | number | undefined;
  }

  export interface MediaSection {
    type: string;
    port: number;
    protocol: string;
    /** A number if there is but one. */
    payloads?: string | number | undefined;
    connection?: { version: number; ip: string } | undefined;
    direction?: string | undefined;
    ptime?: number | undefined;
    maxptime?: number | undefined;
    rtcp?: { port: number; address?: string | undefined } | undefined;
    rtcpMux?: string | undefined;
    crypto?: { id: number; suite: string; config: string }[] | undefined;
    rtp: Rtpmap[];
    fmtp: { payload: number; config: string }[];
  }

  export interface SessionDescription {
    version?: number;
    origin?: {
      username: string;
      sessionId: string | number;
      sessionVersion: number;
      netType: string;
      ipVer: number;
      address: string;
    };
    name?: string;
    timing?: { start: number; stop: number };
    connection?: { version: number; ip: string } | undefined;
    direction?: string | undefined;
    media: MediaSection[];
  }

  export const parse: (text: string) => SessionDescription;
  export const write: (session: SessionDescription) => string;
}
