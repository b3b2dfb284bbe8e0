const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const HOST_NAME = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*$`);
const OCTET = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`);
const DIGITS_AND_DOTS = /^[0-9.]+$/;
const IPV6_CHARACTERS = /^[0-9A-Fa-f:.]+$/;

/** Whether it is an IPv6 address without brackets and zone (RFC 4291 2.2). */
const isIpv6 = (text: string): boolean =>
  text.includes(':') && IPV6_CHARACTERS.test(text) && URL.canParse(`http://[${text}]`);

/** Whether it is a host name or an IP address, without brackets. */
export const isHost = (text: string): boolean => {
  if (text.includes(':')) return isIpv6(text);
  return DIGITS_AND_DOTS.test(text) ? IPV4.test(text) : HOST_NAME.test(text);
};
