// Prints the pages that Pagefind finds for queries, best first, as the browser finds them:
// node queries.mjs SITE RANKING QUERY ..., all but the first two as they are typed.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [site, ranking, ...queries] = process.argv.slice(2);
const bundle = path.resolve(site, "pagefind");

// Pagefind fetches the parts of its index.
globalThis.fetch = async (url) => {
  const name = path.basename(String(url).split("?")[0]);
  const folder = name.endsWith("pf_fragment") ? "fragment" : name.endsWith("pf_index") ? "index" : "";
  return new Response(await readFile(path.join(bundle, folder, name)));
};
globalThis.window = undefined;
const pagefind = await import(pathToFileURL(path.join(bundle, "pagefind.js")));
await pagefind.options({ basePath: "/pagefind/", baseUrl: "/", ranking: JSON.parse(ranking) });
const found = {};
for (const query of queries) {
  const { results } = await pagefind.search(query);
  const pages = await Promise.all(results.slice(0, 5).map((result) => result.data()));
  found[query] = pages.map((page) => page.url.replace(/^\//, ""));
}
console.log(JSON.stringify(found));
