// Draws what stands on standard input as a terminal: `./ringcast demo | node scripts/picture.ts >docs/demo.svg`.
const COLUMNS = 100;
const LINE_HEIGHT = 18;
const PADDING = 18;
const TITLE_HEIGHT = 34;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

let text = '';
for await (const chunk of process.stdin) text += chunk;
const [shown = ''] = text.split('\nWhat to try next');
const lines = ['$ npm run demo', ...shown.trimEnd().split('\n')].map((line) => line.slice(0, COLUMNS));
const width = COLUMNS * 7.9 + 2 * PADDING;
const height = TITLE_HEIGHT + lines.length * LINE_HEIGHT + PADDING;
const rows = lines.map(
  (line, index) =>
    `<text x="${PADDING}" y="${TITLE_HEIGHT + (index + 1) * LINE_HEIGHT - 4}" fill="${line.startsWith('$') ? '#8fd694' : '#d7dae0'}" xml:space="preserve">${escaped(line)}</text>`,
);
const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
  (fill, index) => `<circle cx="${20 + index * 20}" cy="17" r="6" fill="${fill}"/>`,
);
process.stdout.write(
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13">
<title>npm run demo, as a terminal shows it</title>
<rect width="100%" height="100%" rx="8" fill="#1e2127"/>
${dots.join('\n')}
${rows.join('\n')}
</svg>
`,
);

export {};
