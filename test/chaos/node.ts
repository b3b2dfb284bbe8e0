// A node of Ringcast as `ringcast serve` runs it, which ends by SIGKILL at the crash point in argv[2], if any.
import { readConfig } from '../../src/config.ts';
import type { Store } from '../../src/domain/store-port.ts';
import { createLog } from '../../src/log.ts';
import { start } from '../../src/main.ts';
import { crashAt } from './crash-store.ts';

const [, , crashPoint] = process.argv;
// Ports of a range rest for a minute: at the rates of chaos it would have to be a large one for each node.
const config = { ...readConfig(process.env), rtpPorts: [0, 0] as const };
let nodeId = '';
const noteNodeId = (store: Store): Store => ({
  ...store,
  actAs(id) {
    nodeId = id;
    store.actAs(id);
  },
});
const running = await start(config, createLog(config.logLevel), (store) =>
  noteNodeId(crashPoint === undefined ? store : crashAt(store, crashPoint, () => process.kill(process.pid, 'SIGKILL'))),
);
// Whoever started it is gone.
process.stdin.resume().on('end', () => process.exit());
process.on('SIGTERM', () => void running.stop(0).then(() => process.exit()));
const { publicUrl, operatorUrl, operatorToken } = running;
process.stdout.write(`${JSON.stringify({ publicUrl, operatorUrl, operatorToken, nodeId })}\n`);
