import type { CallTrunk } from '../domain/call.ts';
import type { Store } from '../domain/store-port.ts';
import type { Trunk } from '../domain/trunk.ts';

/** A trunk as telephony needs it. Its password is read each time, so that a new one is used from the next time on. */
export const callTrunkOf = async (
  store: Pick<Store, 'view'>,
  { id, host, port, transport, hasPassword }: Trunk,
): Promise<CallTrunk> => ({
  id,
  host,
  port,
  transport,
  credentials: hasPassword ? await store.view((views) => views.findTrunkCredentials(id)) : null,
});
