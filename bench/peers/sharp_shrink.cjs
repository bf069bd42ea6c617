/* A picture of at most SIDE pixels by sharp, as a JPEG; peer.py says how it is run:
 *
 *     sharp_shrink.cjs [--serve] SIDE FILE
 */
const readline = require("node:readline");

const QUALITY = 85;

let sharp;
try {
  sharp = require("sharp");
} catch {
  process.exit(77);
}
sharp.cache(false);

function shrink(side, file) {
  const size = { width: Number(side), height: Number(side), fit: "inside" };
  return sharp(file).resize(size).jpeg({ quality: QUALITY }).toBuffer();
}

async function main(args) {
  if (args[0] !== "--serve") {
    process.stdout.write(await shrink(...args));
    return;
  }
  console.log("ready");
  for await (const _ of readline.createInterface({ input: process.stdin }))
    console.log((await shrink(...args.slice(1))).length);
}

main(process.argv.slice(2));
