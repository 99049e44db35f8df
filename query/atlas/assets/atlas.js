"use strict";
// The atlas: content is unpacked from blocks of the page, views are drawn from it. Text of the data
// reaches the page as text nodes only.

const main = document.getElementById("main");
const unpacked = new Map();
const charts = [];
const waiting = [];
let index;

async function unpack(name) {
  if (!unpacked.has(name)) unpacked.set(name, inflate(name));
  return unpacked.get(name);
}

async function inflate(name) {
  const packed = atob(document.getElementById(name).textContent);
  const bytes = new Uint8Array(packed.length);
  for (let at = 0; at < packed.length; at += 1) bytes[at] = packed.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

// ---- elements ----------------------------------------------------------------------------------

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

const number = (value) => (value === null || value === undefined ? "" : value.toLocaleString("en"));
const percent = (value) => (value === null || value === undefined ? "" : `${(100 * value).toFixed(value && value < 0.1 ? 1 : 0)}%`);
const qText = (q) => (q === null || q === undefined ? "" : q < 0.001 ? "< 0.001" : q.toFixed(3));
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function badge(text) {
  // What is usual is a plain word.
  if (["recorded", "RG1", "RG2", "no vertebrate host"].includes(String(text))) return String(text);
  return make("span", { class: `badge ${String(text).split(" ")[0]}` }, String(text));
}

function table(columns, rows, { limit = 100, sort = null, caption = "", saved = null } = {}) {
  // columns: [{name, value(row), show(row)?, number?}]; headers sort, a button shows more.
  let order = sort, shown = limit;
  const body = make("tbody");
  const more = make("button", { type: "button", onclick: () => { shown += 500; fill(); } }, "Show more");
  const head = make("tr", {}, columns.map((column, place) =>
    make("th", { class: column.number ? "number" : null, scope: "col" },
      make("button", { type: "button", onclick: () => {
        const down = order && order.place === place ? !order.down : Boolean(column.number);
        order = { place, down };
        fill();
      } }, column.name))));
  function fill() {
    const sorted = order ? [...rows].sort((a, b) => compare(columns[order.place].value(a), columns[order.place].value(b)) * (order.down ? -1 : 1)) : rows;
    body.replaceChildren(...sorted.slice(0, shown).map((row) => make("tr", {}, columns.map((column) =>
      make("td", { class: column.number ? "number" : null }, column.show ? column.show(row) : String(column.value(row) ?? ""))))));
    [...head.children].forEach((cell, place) => {
      if (order && order.place === place) cell.setAttribute("aria-sort", order.down ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    });
    more.hidden = shown >= rows.length;
  }
  fill();
  return make("div", {},
    make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption || "Table" }, make("table", {}, make("thead", {}, head), body)),
    more, rows.length ? savable(caption, saved || columns, rows) : null);
}

function savable(name, columns, rows) {
  // Buttons that save rows as CSV or JSON; a cell that a spreadsheet would run is quoted as text.
  const quoted = (value) => { const text = String(value ?? ""); return `"${(typeof value === "string" && /^[=+@\t\r-]/.test(text) ? `'${text}` : text).replace(/"/g, '""')}"`; };
  const cells = () => rows.map((row) => columns.map((column) => column.value(row)));
  const csv = () => [columns.map((column) => column.name), ...cells()].map((row) => row.map(quoted).join(",")).join("\r\n");
  const json = () => JSON.stringify(cells().map((row) => Object.fromEntries(row.map((value, at) => [columns[at].name, value]))), null, 1);
  return make("p", { class: "save" }, saveButton("CSV", fileName(name, "csv"), csv), saveButton("JSON", fileName(name, "json"), json));
}

function saveButton(label, file, text) {
  return make("button", { type: "button", class: "cite", "aria-label": `${label}: save ${file}`, onclick: () => save(file, URL.createObjectURL(new Blob([text()]))) }, label);
}

const fileName = (name, ending) => `${(name || "table").toLowerCase().replace(/[^a-z0-9]+/g, "-")}.${ending}`;

function save(file, address) {
  make("a", { href: address, download: file }).click();
}

function compare(a, b) {
  if (a === null || a === undefined) return b === null || b === undefined ? 0 : -1;
  if (b === null || b === undefined) return 1;
  return typeof a === "number" ? a - b : String(a).localeCompare(String(b));
}

function chart(option, label, { height = null, file = label } = {}) {
  const box = make("div", { class: "chart", role: "img", "aria-label": label });
  if (height) box.style.height = `${height}px`;
  waiting.push(() => {
    const drawn = echarts.init(box, null, { renderer: "canvas" });
    drawn.setOption({
      animation: false, textStyle: { fontFamily: "system-ui, sans-serif", color: color("--ink") },
      aria: { enabled: true }, ...option,
    });
    charts.push(drawn);
  });
  const picture = () => echarts.getInstanceByDom(box).getDataURL({ pixelRatio: 2, backgroundColor: color("--paper") });
  return make("div", {}, box, pngButton(file, picture));
}

function pngButton(name, picture) {
  const file = fileName(name, "png");
  return make("p", { class: "save" }, make("button", { type: "button", class: "cite", "aria-label": `PNG: save ${file}`, onclick: () => save(file, picture()) }, "PNG"));
}

function pictureOf(box) {
  // What ``box`` shows, drawn anew: the background of each element in it and each word in its place.
  const { left, top, width, height } = box.getBoundingClientRect();
  const margin = 16;
  const canvas = make("canvas", { width: 2 * (width + 2 * margin), height: 2 * (height + 2 * margin) });
  const pen = canvas.getContext("2d");
  pen.scale(2, 2);
  pen.textBaseline = "middle";
  pen.fillStyle = color("--paper");
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.translate(margin - left, margin - top);
  for (const element of box.querySelectorAll("*")) {
    const style = getComputedStyle(element), room = element.getBoundingClientRect();
    const edge = parseFloat(style.borderLeftWidth);
    pen.fillStyle = style.backgroundColor;
    pen.fillRect(room.x + edge, room.y + edge, room.width - 2 * edge, room.height - 2 * edge);
    pen.fillStyle = style.color;
    pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) drawWords(pen, node, room, style.writingMode !== "horizontal-tb");
  }
  return canvas.toDataURL();
}

function drawWords(pen, node, room, upwards) {
  // Words that are cut off by the room of their element are left out.
  const range = document.createRange();
  for (const word of node.data.matchAll(/[^\s-]+-*|-+/g)) {
    range.setStart(node, word.index);
    range.setEnd(node, word.index + word[0].length);
    const at = range.getBoundingClientRect();
    if (at.bottom > room.bottom + 1 || at.top < room.top - 1) continue;
    pen.save();
    if (upwards) { pen.translate(at.x + at.width / 2, at.bottom); pen.rotate(-Math.PI / 2); } else pen.translate(at.x, at.y + at.height / 2);
    pen.fillText(word[0], 0, 0);
    pen.restore();
  }
}

const axis = (name, more = {}) => ({
  name, nameLocation: "middle", nameGap: 32, nameTextStyle: { color: color("--quiet") },
  axisLabel: { color: color("--quiet") }, axisLine: { lineStyle: { color: color("--line") } },
  splitLine: { lineStyle: { color: color("--line") } }, ...more,
});
const ruler = document.createElement("canvas").getContext("2d");

function widthOf(text, pixels) {
  ruler.font = `${pixels}px system-ui, sans-serif`;
  return ruler.measureText(text).width;
}

function rowsOf(names, pixels) {
  // The layout of a chart with a row for each name: names are left of it, and on a telephone above their rows.
  const narrow = innerWidth < 640;
  const longest = Math.max(...names.map((name) => widthOf(name, 12)));
  const left = narrow ? 16 : Math.min(0.4 * main.clientWidth, Math.ceil(longest) + 12);
  const row = narrow ? pixels + 16 : pixels;
  const above = { inside: true, align: "left", verticalAlign: "bottom", margin: 0, padding: [0, 0, pixels / 2 - 2, 0] };
  const label = { color: color("--ink"), width: narrow ? innerWidth - 60 : left - 10, overflow: "truncate", ...(narrow ? above : {}) };
  return { left, height: 64 + row * names.length, axis: axis("", { type: "category", inverse: true, data: names, z: 10, axisTick: { show: false }, axisLabel: label }) };
}

const palette = ["#0f766e", "#b45309", "#1d4ed8", "#9d174d", "#4d7c0f", "#6d28d9", "#713f12", "#c026d3"];
const ofClass = { recorded: "#0f766e", resident: "#1d4ed8", "new within class": "#a16207", unexpected: "#c2410c", library: "#6b7280", unknown: "#9ca3af" };

// ---- views -------------------------------------------------------------------------------------

function overview() {
  const counts = index.counts;
  const tiles = [
    ["runs", counts.runs], ["runs with a virus", counts.virus_runs], ["viruses", counts.viruses],
    ["reports", counts.reports], ["associations", counts.associations],
  ];
  return make("div", { class: "tiles" }, tiles.map(([name, value]) =>
    make("div", { class: "tile" }, make("b", {}, number(value)), name)));
}

const FIELDS = 120;
const COLOURINGS = {
  "virus family": { of: "family", none: "no named virus", words: "The family that most of the runs carry." },
  "host group": { of: "host", none: "host not stated", words: "What most of the runs were taken from." },
};
const GREY = "#9ca3af", REST = "#475569";

function childrenOf() {
  // Places of the communities below each community (null: the top), largest first; made once.
  if (!index.below) {
    const all = index.communities;
    const known = new Set(all.community);
    index.below = new Map();
    all.parent.forEach((parent, place) => {
      const above = known.has(parent) ? parent : null;
      if (!index.below.has(above)) index.below.set(above, []);
      index.below.get(above).push(place);
    });
    for (const places of index.below.values()) places.sort((a, b) => all.runs[b] - all.runs[a]);
  }
  return index.below;
}

function coloursOf(column) {
  // The colour of each value of a column: those with the most runs at the top have one of their own.
  const all = index.communities;
  const runs = new Map();
  for (const place of childrenOf().get(null) || []) runs.set(all[column][place], (runs.get(all[column][place]) || 0) + all.runs[place]);
  runs.delete(null);
  const largest = [...runs.keys()].sort((a, b) => runs.get(b) - runs.get(a)).slice(0, palette.length);
  return new Map(largest.map((value, place) => [value, palette[place]]));
}

function fields(community, from = 0) {
  // One step of the hierarchy: its largest communities, and one field for the rest, which opens into
  // the next ones and takes at most a fifth of the area.
  const all = index.communities;
  const places = childrenOf().get(community) || [];
  const shown = places.slice(from, from + FIELDS).map((place) => {
    const id = all.community[place];
    return { id, place, inner: childrenOf().has(id), name: all.title[place], value: all.runs[place], runs: all.runs[place] };
  });
  const rest = places.slice(from + FIELDS);
  if (rest.length) {
    const runs = rest.reduce((sum, place) => sum + all.runs[place], 0);
    const room = shown.reduce((sum, one) => sum + one.value, 0) / 4;
    shown.push({ name: `${number(rest.length)} smaller communities`, value: Math.min(runs, room), runs, next: from + FIELDS });
  }
  return shown;
}

function squarified(values, width, height) {
  // Rectangles with the areas of the values, as square as may be (Bruls, Huizing and van Wijk 2000).
  const scale = (width * height) / values.reduce((sum, value) => sum + value, 0);
  const areas = values.map((value) => value * scale);
  const worst = (row, side) => {
    const sum = row.reduce((total, area) => total + area, 0);
    return Math.max(...row.map((area) => Math.max((side * side * area) / (sum * sum), (sum * sum) / (side * side * area))));
  };
  const placed = [];
  let x = 0, y = 0;
  while (placed.length < areas.length) {
    const wide = width - x >= height - y, side = wide ? height - y : width - x;
    let row = [areas[placed.length]];
    for (const area of areas.slice(placed.length + 1)) {
      if (worst([...row, area], side) > worst(row, side)) break;
      row.push(area);
    }
    const thick = row.reduce((sum, area) => sum + area, 0) / side;
    let along = 0;
    for (const area of row) {
      placed.push(wide ? { x, y: y + along, w: thick, h: area / thick } : { x: x + along, y, w: area / thick, h: thick });
      along += area / thick;
    }
    if (wide) x += thick; else y += thick;
  }
  return placed;
}

function fieldName(name, { w, h }) {
  // A name where its field holds the longest word and two lines, or the whole name in one.
  const pixels = w < 130 ? 11 : 13;
  const longest = Math.max(...name.split(" ").map((word) => widthOf(word, pixels)));
  const lines = Math.floor((h - 8) / (pixels + 3));
  const fits = lines > 0 && longest <= w - 16 && (lines > 1 || widthOf(name, pixels) <= w - 16);
  if (!fits) return null;
  return make("span", { style: `-webkit-line-clamp:${lines};font-size:${pixels}px` }, name);
}

let entered = { community: null, from: 0 };

function viewMap() {
  const all = index.communities;
  const box = make("div", { class: "map", role: "group", "aria-label": "Communities by number of runs" });
  const trail = make("p", { class: "crumbs", "aria-live": "polite" });
  const legend = make("p", { class: "legend" });
  const said = make("p", { class: "quiet said", "aria-live": "polite" });
  const by = choice(Object.keys(COLOURINGS));
  function draw() {
    const shown = fields(entered.community, entered.from);
    const { of, none } = COLOURINGS[by.value];
    const colours = coloursOf(of);
    const rects = squarified(shown.map((one) => one.value), box.clientWidth, box.clientHeight);
    box.replaceChildren(...shown.map((one, at) => field(one, rects[at], one.next ? REST : colours.get(all[of][one.place]) || (all[of][one.place] ? REST : GREY), at)));
    const swatch = (name, colour) => make("span", {}, make("i", { style: `background:${colour}` }), name);
    legend.replaceChildren(...[...colours].map(([name, colour]) => swatch(name, colour)), swatch("other", REST), swatch(none, GREY));
    said.textContent = `${COLOURINGS[by.value].words} Arrow keys move between fields, Enter opens one.`;
    follow();
  }
  function field(one, { x, y, w, h }, colour, at) {
    const tell = () => { said.textContent = [one.name, `${number(one.runs)} runs`, all.family[one.place], all.host[one.place]].filter(Boolean).join(" · "); };
    const open = () => (one.next ? enter(entered.community, one.next) : one.inner ? enter(one.id) : (location.hash = `#/${one.id}`));
    const style = `left:${x}px;top:${y}px;width:${w}px;height:${h}px;background:${colour};color:${colour === GREY ? "#111827" : "#fff"}`;
    const label = `${one.name}, ${number(one.runs)} runs${one.inner ? ", opens into its parts" : ""}`;
    return make("button", { type: "button", style, title: label, "aria-label": label, tabindex: at ? "-1" : "0", onclick: open, onfocus: tell, onmouseenter: tell }, fieldName(one.name, { w, h }));
  }
  function enter(community, from = 0) {
    entered = { community, from };
    draw();
    box.firstChild.focus();
  }
  function follow() {
    const step = (name, act) => make("button", { type: "button", class: "cite", onclick: act }, name);
    const { community, from } = entered;
    const title = (one) => all.title[all.community.indexOf(one)];
    const above = [];
    for (let one = community; all.community.includes(one); one = all.parent[all.community.indexOf(one)]) above.unshift(one);
    const steps = above.slice(0, -1).flatMap((one) => [" › ", step(title(one), () => enter(one))]);
    const here = community === null ? [] : [" › ", make("a", { href: `#/${community}` }, `Report: ${title(community)}`)];
    const part = from ? [` › from number ${number(from + 1)} by size`] : [];
    trail.replaceChildren(community === null && !from ? "All communities" : step("All communities", () => enter(null)), ...steps, ...here, ...part);
  }
  box.addEventListener("keydown", (event) => {
    const sides = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
    if (!sides[event.key]) return;
    event.preventDefault();
    const next = neighbour(box, document.activeElement, sides[event.key]);
    if (!next) return;
    document.activeElement.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
  by.addEventListener("input", draw);
  waiting.push(() => { charts.push({ resize: draw, dispose() {} }); draw(); });
  return [
    make("h2", {}, "Communities"),
    make("p", { class: "quiet" }, "A community is a group of runs that share viruses, hosts, tissues, places or projects. Larger fields have more runs. Click a field to see its parts or, if it has none, its report. As a list: ",
      make("a", { href: "#/reports" }, "Reports"), "."),
    make("div", { class: "row" }, overview(), make("div", { class: "controls" }, labelled("Colour by", by))), leftOut(), trail, make("div", {}, legend, box), said, pngButton("communities", () => pictureOf(box.parentElement)),
  ];
}

function neighbour(box, from, [right, down]) {
  // The field nearest to a field on one side of it.
  const middle = (field) => [field.offsetLeft + field.offsetWidth / 2, field.offsetTop + field.offsetHeight / 2];
  const [x, y] = middle(from);
  const far = (field) => { const [u, v] = middle(field); const ahead = (u - x) * right + (v - y) * down; const aside = Math.abs((u - x) * down) + Math.abs((v - y) * right); return ahead > 1 ? ahead + 2 * aside : Infinity; };
  const [nearest] = [...box.children].sort((a, b) => far(a) - far(b));
  return far(nearest) < Infinity ? nearest : null;
}

function leftOut() {
  if (!index.left_out) return null;
  return make("p", { class: "quiet" }, `${number(index.left_out)} reports of the smallest communities are not in this page: query atlas --reports.`);
}

function viewReports() {
  const all = index.communities;
  const rows = all.community.map((community, place) => ({
    community, level: all.level[place], runs: all.runs[place], title: all.title[place] || "",
    label: all.label[place] || "", rating: all.rating[place], risk: all.risk[place],
    folded: `${all.title[place]} ${all.label[place]} ${community}`.toLowerCase(),
  }));
  const words = make("input", { type: "search", placeholder: "virus, host, place, C0-…" });
  const level = choice(["all", ...new Set(all.level)]);
  const risk = choice(["all", ...new Set(all.risk)]);
  const out = make("div");
  const count = make("p", { class: "quiet", "aria-live": "polite" });
  const columns = [
    { name: "report", value: (row) => row.title, show: (row) => make("a", { href: `#/${row.community}` }, row.title) },
    { name: "level", value: (row) => row.level, number: true },
    { name: "runs", value: (row) => row.runs, show: (row) => number(row.runs), number: true },
    { name: "rating", value: (row) => row.rating, number: true },
    { name: "risk", value: (row) => row.risk, show: (row) => badge(row.risk) },
  ];
  function show() {
    const asked = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kept = rows.filter((row) => asked.every((word) => row.folded.includes(word))
      && (level.value === "all" || String(row.level) === level.value)
      && (risk.value === "all" || row.risk === risk.value));
    count.textContent = `${number(kept.length)} of ${number(rows.length)} reports`;
    out.replaceChildren(table(columns, kept, { caption: "Reports" }));
  }
  for (const control of [words, level, risk]) control.addEventListener("input", show);
  show();
  return [
    make("h2", {}, "Reports"),
    make("div", { class: "controls" }, labelled("Find", words), labelled("Level", level), labelled("Risk group", risk)),
    count, out,
  ];
}

const labelled = (name, control) => make("label", {}, name, control);
const choice = (values) => make("select", {}, values.map((value) => make("option", { value: String(value) }, String(value))));

// Where a question can be asked, its address; the page on disk has none.
let questionLink = null;

function viewRelations() {
  const ranked = (name) => {
    const sums = new Map();
    for (const cell of index.matrix) sums.set(cell[name], (sums.get(cell[name]) || 0) + cell.runs);
    return [...sums.keys()].sort((a, b) => sums.get(b) - sums.get(a));
  };
  const hosts = ranked("host"), families = ranked("family");
  const runs = new Map(index.matrix.map((cell) => [`${cell.family}\n${cell.host}`, cell.runs]));
  const most = Math.log1p(Math.max(1, ...runs.values()));
  const cell = (family, host) => {
    const found = runs.get(`${family}\n${host}`);
    if (!found) return make("td", {});
    const depth = Math.round((100 * Math.log1p(found)) / most);
    const shown = questionLink ? make("a", { href: questionLink(`How many runs of ${host} carry ${family}?`) }, number(found)) : number(found);
    return make("td", { style: `--depth:${depth}%`, title: `${family} in ${host}: ${number(found)} runs` }, shown);
  };
  const columns = ["family", "host", "runs"].map((name) => ({ name, value: (row) => row[name], number: name === "runs", show: (row) => (name === "runs" ? number(row.runs) : row[name]) }));
  const matrix = make("table", { class: "matrix" },
    make("thead", {}, make("tr", {}, make("td", {}), hosts.map((host) => make("th", { scope: "col" }, make("span", { title: host }, host))))),
    make("tbody", {}, families.map((family) => make("tr", {}, make("th", { scope: "row" }, family), hosts.map((host) => cell(family, host))))));
  return [
    make("h2", {}, "Viruses and hosts"),
    make("p", { class: "quiet" }, "Runs that carry a virus family (row) and state the host (column); the families and hosts with the most runs. A stronger colour means more runs, on a logarithmic scale; an empty field, no run. A host that was sequenced more often has more of everything."),
    make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Virus families by hosts" }, matrix),
    pngButton("virus families by hosts", () => { matrix.parentElement.scrollLeft = 0; return pictureOf(matrix); }),
    make("h3", {}, "As a list"), table(columns, index.matrix, { limit: 20, caption: "Virus families and hosts" }),
  ];
}

function viewPairs() {
  const totals = Object.fromEntries(index.pair_classes.map((row) => [row.plausibility, row.pairs]));
  const kind = choice(["all", ...Object.keys(totals).sort()]);
  const words = make("input", { type: "search", placeholder: "virus or host" });
  const out = make("div");
  const columns = [
    { name: "virus", value: (row) => row.virus }, { name: "host", value: (row) => row.host },
    { name: "plausibility", value: (row) => row.plausibility, show: (row) => badge(row.plausibility) },
    { name: "runs", value: (row) => row.runs, show: (row) => number(row.runs), number: true },
  ];
  const show = () => {
    const asked = words.value.toLowerCase();
    const kept = index.pairs.filter((row) => (kind.value === "all" || row.plausibility === kind.value) && `${row.virus} ${row.host}`.toLowerCase().includes(asked));
    out.replaceChildren(table(columns, kept, { caption: "Pairs of virus and host" }));
  };
  for (const control of [kind, words]) control.addEventListener("input", show);
  show();
  const names = Object.keys(totals).sort((a, b) => totals[b] - totals[a]);
  const { left, height, axis: classes } = rowsOf(names, 30);
  return [
    make("h2", {}, "Is the virus at home in this host?"),
    make("p", { class: "quiet" }, "Each pair of a virus and what it was found in, with the runs of which the class is true. Recorded: the literature has it. Resident: the virus lives in the cell line of these runs. New within class: recorded in a relative of the host. Unexpected: recorded neither in the host nor in its class, so it is possibly contamination, food or a new host. Library: the sequenced organism is a virus. Unknown: nothing is recorded to compare with. Where another organism than the host was sequenced, the pair is of that organism."),
    chart({ tooltip: {}, grid: { left, right: 40, top: 8, bottom: 44 }, xAxis: axis("pairs of virus and host", { type: "value" }), yAxis: classes,
      series: [{ type: "bar", barWidth: 16, data: names.map((name) => ({ value: totals[name], itemStyle: { color: ofClass[name] || palette[0] } })), label: { show: true, position: "right", color: color("--ink") } }] },
    "Pairs per class of plausibility", { height }),
    make("div", { class: "controls" }, labelled("Class", kind), labelled("Find", words)), out,
  ];
}

function viewPredictions() {
  const shares = (value) => (value < 0.001 ? "< 0.1%" : percent(value));
  const show = { identity: (row) => (row.identity === null ? "unknown" : `${row.identity}%`), coverage: (row) => number(row.coverage), probability: (row) => shares(row.probability) };
  const column = (name) => {
    const counted = ["identity", "runs", "studies", "coverage", "probability", "searched", "viruses", "neighbourhood"].includes(name);
    return { name, value: (row) => row[name], show: show[name] || (counted ? (row) => number(row[name]) : null), number: counted };
  };
  const community = { name: "community", value: (row) => row.community, show: (row) => (row.community in index.chunks ? make("a", { href: `#/${row.community}`, class: "id" }, row.community) : make("span", { class: "id" }, row.community || "")) };
  const columns = (names) => names.split(" ").map(column);
  return [
    make("h2", {}, "Novel viruses and predictions"),
    make("h3", {}, "Far from every known virus"),
    make("p", { class: "quiet" }, "Counted: sOTUs below 90% identity to every reference, those in most studies first; behind them those of unknown identity, which may have a name elsewhere."),
    table([...columns("sotu nearest identity runs studies coverage hosts places"), community], index.novel, { limit: 20, caption: "Novel viruses" }),
    make("p", { class: "lead" }, "What follows is predicted from what viruses are found with: it is no evidence, and no count or report uses it."),
    make("h3", {}, "Viruses of the same kinds of samples"),
    make("p", { class: "quiet" }, "Each virus is joined to the ten nearest by what they are found with. Viruses of one neighbourhood need not be related."),
    table(columns("neighbourhood viruses studies families hosts samples members"), index.neighbourhoods, { limit: 10, caption: "Neighbourhoods of viruses" }),
    make("h3", {}, "Found, but unlikely"),
    make("p", { class: "quiet" }, "Pairs that runs carry and no source records, the least fitting first. The probability is that a study of the host which searches for the virus finds it, from all other studies: contamination, food or a new host."),
    table(columns("virus family host probability studies searched"), index.unlikely, { limit: 20, caption: "Unlikely pairs" }),
    make("h3", {}, "Not found yet, but likely"),
    make("p", { class: "quiet" }, "Pairs that no run carries and no source records; searched are the studies of the host that looked for the virus and did not find it."),
    table(columns("virus family host probability searched"), index.predicted, { limit: 20, caption: "Predicted pairs" }),
  ];
}

// What means per million are of: associations of k-mers are flagged so.
function measured(rows) {
  const ofKmers = rows.filter((row) => row.flag && row.flag.includes("k-mer shares")).length;
  if (!ofKmers) return "reads (or coverage) per million";
  return ofKmers === rows.length ? "k-mers per million" : "reads, coverage or k-mers per million";
}

function volcano(rows) {
  const most = 10;  // permutation tests reach no further, imported q-values of zero do
  const isCut = rows.some((row) => row.q_value < 10 ** -most);
  const height = (q) => Math.min(most, -Math.log10(Math.max(q, 1e-300)));
  const flagged = rows.filter((row) => row.flag), clean = rows.filter((row) => !row.flag);
  const points = (part) => part.map((row) => ({ value: [row.fold_change, height(row.q_value)], row }));
  return {
    tooltip: { formatter: ({ data }) => echarts.format.encodeHTML(`${data.row.family}, ${data.row.attribute} = ${data.row.value} (${data.row.bioproject}), q ${qText(data.row.q_value)}${data.row.flag ? `, ${data.row.flag}` : ""}`) },
    legend: { top: 0, data: ["no flag", "flagged"], textStyle: { color: color("--ink") } },
    grid: { left: 60, right: 20, top: 40, bottom: 50 },
    xAxis: axis(`log2 fold change of mean ${measured(rows)}`, { type: "value" }), yAxis: axis(isCut ? `-log10 q (${most}: or more)` : "-log10 q", { type: "value", min: 0 }),
    series: [
      { name: "flagged", type: "scatter", symbolSize: 5, itemStyle: { color: "#9ca3af", opacity: 0.6 }, data: points(flagged) },
      { name: "no flag", type: "scatter", symbolSize: 8, itemStyle: { color: color("--accent") }, data: points(clean),
        markLine: { silent: true, symbol: "none", lineStyle: { color: color("--warn") }, label: { formatter: "q = 0.05", position: "insideEndTop", color: color("--quiet") }, data: [{ yAxis: height(0.05) }] } },
    ],
  };
}

// Differences of reads per million reach from tenths to millions: their axis is linear between -1 and
// 1, and a power of ten is one step beyond.
const SYMMETRIC = {
  place: (value) => (Math.abs(value) <= 1 ? value : Math.sign(value) * (1 + Math.log10(Math.abs(value)))),
  axis: { interval: 1, minInterval: 1, axisLabel: { color: null, formatter: (at) => number(at === 0 ? 0 : Math.sign(at) * 10 ** (Math.abs(at) - 1)), hideOverlap: true } },
};
const LINEAR = { place: (value) => value, axis: {} };
const DIFFERENCE = { quantity: (rows) => `difference of mean ${measured(rows)}, 95% interval`, value: (row) => row.difference, scale: SYMMETRIC };
const HEDGES = { quantity: () => "standardised difference of means (Hedges' g), 95% interval", value: (row) => row.effect, scale: LINEAR };

function forest(rows, name, { quantity, value, scale }, label) {
  // Each row is a point with its interval, all three of the same quantity.
  const data = rows.map((row, place) => [scale.place(value(row)), place, scale.place(row.ci_low), scale.place(row.ci_high)]);
  const axisLabel = { ...scale.axis.axisLabel, color: color("--quiet") };
  const { left, height, axis: effects } = rowsOf(rows.map(name), 28);
  const option = {
    grid: { left, right: 24, top: 8, bottom: 46 },
    tooltip: { formatter: ({ dataIndex }) => rows[dataIndex] && echarts.format.encodeHTML(`${name(rows[dataIndex])}: ${number(value(rows[dataIndex]))} (${number(rows[dataIndex].ci_low)} to ${number(rows[dataIndex].ci_high)})`) },
    xAxis: axis(quantity(rows), { type: "value", ...scale.axis, axisLabel }),
    yAxis: effects,
    series: [{
      type: "custom", data, encode: { x: [0, 2, 3], y: 1 },
      renderItem: (_, api) => {
        const at = (place) => api.coord([place, api.value(1)]);
        const [x, y] = at(api.value(0)), low = at(api.value(2))[0], high = at(api.value(3))[0];
        const line = { type: "line", shape: { x1: low, y1: y, x2: high, y2: y }, style: { stroke: color("--accent"), lineWidth: 2 } };
        const dot = { type: "circle", shape: { cx: x, cy: y, r: 5 }, style: { fill: color("--accent") } };
        return { type: "group", children: [line, dot] };
      },
    }, { type: "line", data: [], markLine: { silent: true, symbol: "none", label: { show: false }, lineStyle: { color: color("--quiet") }, data: [{ xAxis: 0 }] } }],
  };
  return chart(option, label, { height });
}

const drawable = (rows, { value }) => rows.filter((row) => [value(row), row.ci_low, row.ci_high].every(Number.isFinite));

function viewAssociations() {
  const hold = index.associations.filter((row) => row.q_value <= 0.05);
  const clean = hold.filter((row) => !row.flag);
  const columns = [
    { name: "family", value: (row) => row.family }, { name: "attribute", value: (row) => row.attribute },
    { name: "value", value: (row) => row.value }, { name: "project", value: (row) => row.bioproject },
    { name: "with / without", value: (row) => row.num_true, show: (row) => `${number(row.num_true)} / ${number(row.num_false)}`, number: true },
    { name: "log2 fold", value: (row) => row.fold_change, show: (row) => row.fold_change.toFixed(2), number: true },
    { name: "q", value: (row) => row.q_value, show: (row) => qText(row.q_value), number: true },
    { name: "flag", value: (row) => row.flag, show: (row) => row.flag || "" },
  ];
  const parts = [
    make("h2", {}, "Associations with metadata"),
    make("p", { class: "quiet" }, `Within projects: do samples with a value have more reads of a virus family than those with another value of the same attribute? ${number(hold.length)} of ${number(index.associations.length)} shown hold at q ≤ 0.05, ${number(clean.length)} of them without a flag. A flag names what else may explain it.`),
  ];
  if (!index.associations.length) return [...parts, make("p", {}, "This index holds none.")];
  parts.push(chart(volcano(index.associations), "Volcano plot of associations"));
  if (index.combined.length) {
    const rows = drawable(index.combined, HEDGES).slice(0, 20);
    parts.push(make("h3", {}, "Combined over projects"), forest(rows, (row) => `${row.family}: ${row.attribute} = ${row.value} (${row.projects} projects)`, HEDGES, "Forest plot of combined effects"));
  }
  parts.push(make("h3", {}, "All"), table(columns, [...index.associations].sort((a, b) => Boolean(a.flag) - Boolean(b.flag)), { caption: "Associations" }));
  return parts;
}

async function viewPlaces() {
  const land = await unpack("land");
  const outline = { type: "FeatureCollection", features: [{ type: "Feature", properties: { name: "land" }, geometry: { type: "MultiPolygon", coordinates: land.map((ring) => [ring]) } }] };
  if (!echarts.getMap("land")) echarts.registerMap("land", outline);
  const most = Math.max(1, ...index.places.map((place) => place.runs));
  const scale = Math.min(1, main.clientWidth / 900);
  const option = {
    tooltip: { formatter: ({ data }) => (data && data.place ? echarts.format.encodeHTML(`${data.place.country || "place"}: ${number(data.place.runs)} runs, ${number(data.place.virus_runs)} with a virus`) : "") },
    geo: { map: "land", aspectScale: 1, roam: true, silent: true, left: 10, right: 10, top: 10, itemStyle: { areaColor: color("--raised"), borderColor: color("--line") } },
    series: [{ type: "scatter", coordinateSystem: "geo", itemStyle: { color: color("--accent"), opacity: 0.65 }, data: index.places.map((place) => ({ value: [place.longitude, place.latitude], place, symbolSize: scale * Math.max(4, 22 * Math.sqrt(place.runs / most)) })) }],
  };
  const columns = [
    { name: "country or sea", value: (row) => row.country },
    { name: "runs", value: (row) => row.runs, show: (row) => number(row.runs), number: true },
    { name: "with a virus", value: (row) => row.virus_runs, show: (row) => number(row.virus_runs), number: true },
  ];
  return [
    make("h2", {}, "Places"),
    make("p", { class: "quiet" }, "Where samples were taken, as far as it is stated. A point is a place with coordinates, its area the number of runs; small points are drawn larger, to be seen."),
    index.places.length ? chart(option, "World map of places with runs", { height: Math.round(main.clientWidth / 2.1) }) : make("p", {}, "No sample of this index has coordinates."),
    table(columns, index.countries, { caption: "Countries and seas" }),
  ];
}

function viewAbout() {
  const columns = [{ name: "ontology", value: (row) => row.ontology }, { name: "version", value: (row) => row.version }, { name: "licence", value: (row) => row.licence }, { name: "terms", value: (row) => row.terms, show: (row) => number(row.terms), number: true }];
  return [
    make("h2", {}, "About this index"), overview(),
    make("p", {}, "Counts are of distinct runs and were made in SQL; every number of a report equals its fact. “Not found” counts among runs that were searched. Unknown is never zero."),
    make("h3", {}, "Ontologies"), table(columns, index.ontologies, { caption: "Ontologies" }),
    make("h3", {}, "How old the data are"), table([{ name: "what", value: (row) => row.kind }, { name: "source", value: (row) => row.name }, { name: "as of", value: (row) => row.as_of, show: (row) => make("time", {}, row.as_of || "not said") }, { name: "dated by", value: (row) => row.dated_by }], index.sources, { caption: "How old the data are" }),
    make("h3", {}, "How it was built"), folded(`Content ${buildNow()}, parameters, and the digest of each input`, table([{ name: "what", value: (row) => row.key }, { name: "value", value: (row) => row.value }], index.build, { limit: 60, caption: "Build" })),
  ];
}

function folded(title, ...shown) {
  return make("details", {}, make("summary", {}, title), ...shown);
}

const buildNow = () => (index.build.find((row) => row.key === "content_hash") || { value: "" }).value.slice(0, 12);

// ---- a report ----------------------------------------------------------------------------------

function cited(text, report, box, seen = new Set(), next = "") {
  // Text in which each cited name opens its runs. A name that is not in the text follows it, unless
  // it was cited before or is in the text that comes next.
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(/ ?\[Filters: (.*?)\](?!\])([.,;]?)/g)) {
    const said = [text.slice(from, match.index) + match[2]];
    for (const one of match[1].matchAll(/\{\{((?:\\.|[^{}])*)\}\}/g)) {
      const name = one[1].replace(/\\([\\[\]{}])/g, "$1");
      if (report && name === `community: ${report.community}`) continue;
      const isElsewhere = seen.has(name) || next.includes(name.split(": ").slice(1).join(": "));
      if (!insertReference(said, name, report, box) && !isElsewhere) said.push(" ", reference(name, report, box));
      seen.add(name);
    }
    parts.push(...said);
    from = match.index + match[0].length;
  }
  parts.push(text.slice(from));
  return parts;
}

function insertReference(said, name, report, box) {
  // Make the first mention of what ``name`` cites its reference; false where there is none.
  const [key, ...rest] = name.split(": ");
  const value = rest.join(": ");
  const label = key === "community" && index.communities.label[index.communities.community.indexOf(value)];
  const names = [label, value, value.replace(/^reported as (.+)$/, "$1 as reported")].filter(Boolean).map((one) => one.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const mention = new RegExp(`(?<![\\w-])(?:${names.join("|")})(?![\\w-])`, "i");
  for (const [place, part] of said.entries()) {
    const found = typeof part === "string" && part.match(mention);
    if (!found) continue;
    const link = reference(name, report, box, found[0]);
    link.classList.add("inline");
    // What touches the mention, such as brackets, stays on its line.
    const [before] = part.slice(0, found.index).match(/\S*$/);
    const [after] = part.slice(found.index + found[0].length).match(/^\S*/);
    const end = found.index + found[0].length + after.length;
    said.splice(place, 1, part.slice(0, found.index - before.length), make("span", { class: "together" }, before, link, after), part.slice(end));
    return true;
  }
  return false;
}

function openBox(box, mark) {
  // Show ``box`` behind the sentence of ``mark``, in view.
  const around = mark.closest("li, td, p");
  if (around && around.tagName === "P") around.after(box);
  else if (around) around.append(box);
  box.hidden = false;
  box.scrollIntoView({ block: "nearest" });
}

function opener(words, open) {
  // Words that open a box below their sentence. They wrap with the sentence, as a button would not.
  const onkeydown = (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); open(event); } };
  return make("span", { class: "cite", role: "button", tabindex: "0", onclick: open, onkeydown }, words);
}

let reference = function (name, report, box, shown) {
  const [key, ...rest] = name.split(": ");
  const value = rest.join(": ");
  if (key === "community") return make("a", { href: `#/${value}`, class: "cite" }, shown || value);
  const runs = report.cited[name] || report.cited[Object.keys(report.cited).find((known) => known.toLowerCase() === name.toLowerCase())];
  return opener(shown || value, (event) => {
    const listed = (runs || []).map((run) => make("code", {}, run));
    box.replaceChildren(make("b", {}, `${key}: ${value}`), ": ", ...(listed.length ? ["for example ", ...listed] : ["the runs are in the index: query report"]));
    openBox(box, event.currentTarget);
  });
};

function factsChart(report, runs) {
  // Values of facets that a tenth of the runs state: four of five runs say little of nine hundred.
  const facts = report.facts.filter((fact) => fact.share && fact.runs / fact.share >= 0.1 * runs).slice(0, 40);
  const best = facts.sort((a, b) => Math.abs(b.share - (b.parent ?? b.background)) - Math.abs(a.share - (a.parent ?? a.background))).slice(0, 12);
  if (!best.length) return null;
  const names = best.map((fact) => `${fact.value} (${fact.facet}, ${number(fact.runs)} ${fact.runs === 1 ? "run" : "runs"})`);
  const against = best.some((fact) => fact.parent !== null);
  const { left, height, axis: values } = rowsOf(names, 36);
  return chart({
    tooltip: { trigger: "axis", axisPointer: { type: "shadow" }, valueFormatter: (value) => percent(value) },
    legend: { top: 0, textStyle: { color: color("--ink") } },
    grid: { left, right: 24, top: 34, bottom: 40 },
    xAxis: axis("share of the runs that state it", { type: "value", max: 1, axisLabel: { color: color("--quiet"), formatter: percent } }),
    yAxis: values,
    series: [
      { name: "here", type: "bar", barMaxWidth: 12, data: best.map((fact) => fact.share), itemStyle: { color: color("--accent") } },
      against ? { name: "parent", type: "bar", barMaxWidth: 12, data: best.map((fact) => fact.parent), itemStyle: { color: "#94a3b8" } }
        : { name: "whole index", type: "bar", barMaxWidth: 12, data: best.map((fact) => fact.background), itemStyle: { color: "#94a3b8" } },
    ],
  }, "Shares of values here against the parent or the whole index", { height: height + 20 });
}

async function viewReport(community) {
  const all = index.communities;
  const place = all.community.indexOf(community);
  if (place < 0) return [make("h2", {}, "No such community"), make("p", {}, community, " has no report of its own. ", make("a", { href: "#/reports" }, "All reports"))];
  const at = (name) => all[name][place];
  const heading = [crumbs(place), make("h2", {}, at("title")),
    make("p", { class: "quiet" }, `${community} · ${at("label")} · level ${at("level")} · ${number(at("runs"))} runs · rating ${at("rating")} of 10`)];
  const chunk = index.chunks[community];
  if (chunk === undefined) return [...heading, leftOut()];
  const report = (await unpack(`reports-${chunk}`))[community];
  const box = make("div", { class: "runs", hidden: "", "aria-live": "polite" });
  const children = all.community.map((_, one) => one).filter((one) => all.parent[one] === community);
  const parts = [...heading, make("p", { class: "lead" }, cited(report.summary, report, box)), box];
  if (report.findings.length) {
    parts.push(make("h3", {}, "Findings"), make("ol", { class: "findings" }, report.findings.map((finding) => {
      const seen = new Set();
      return make("li", {}, make("div", {}, cited(finding.summary, report, box, seen, (finding.explanation || "").replace(/ ?\[Filters: .*?\](?!\])/g, ""))), make("div", { class: "quiet" }, cited(finding.explanation || "", report, box, seen)));
    })));
  }
  if (report.gaps) parts.push(make("p", { class: "quiet" }, cited(report.gaps, report, box)));
  const cautions = cautionsOf(report, at("risk"));
  if (cautions.length) parts.push(make("h3", {}, "Cautions"), make("ul", {}, cautions.map((one) => make("li", {}, one))));
  const facts = factsChart(report, at("runs"));
  if (facts) parts.push(make("h3", {}, "What it contains"), facts);
  if (report.pairs.length) parts.push(make("h3", {}, "Viruses and hosts that its runs join"), table([
    { name: "virus", value: (row) => row.virus }, { name: "host", value: (row) => row.host },
    { name: "plausibility", value: (row) => row.plausibility, show: (row) => badge(row.plausibility) },
    { name: "runs", value: (row) => row.runs, show: (row) => number(row.runs), number: true }], report.pairs, { caption: "Viruses and hosts" }));
  if (children.length) parts.push(make("h3", {}, "It divides into"), table([
    { name: "report", value: (one) => all.title[one], show: (one) => make("a", { href: `#/${all.community[one]}` }, all.title[one]) },
    { name: "runs", value: (one) => all.runs[one], show: (one) => number(all.runs[one]), number: true }], children, { limit: 20, caption: "Children" }));
  const tested = drawable(report.associations, DIFFERENCE);
  if (report.associations.length) parts.push(make("h3", {}, "Associations tested mostly in its samples"),
    tested.length ? forest(tested, (row) => `${row.family}: ${row.attribute} = ${row.value}`, DIFFERENCE, "Forest plot of associations") : null,
    table([{ name: "family", value: (row) => row.family }, { name: "value", value: (row) => `${row.attribute} = ${row.value}` }, { name: "project", value: (row) => row.bioproject }, { name: "q", value: (row) => row.q_value, show: (row) => qText(row.q_value), number: true }, { name: "flag", value: (row) => row.flag, show: (row) => row.flag || "" }], report.associations, { caption: "Associations" }));
  if (report.studies.length) parts.push(make("h3", {}, "Studies"), table([
    { name: "project", value: (row) => row.accession, show: (row) => make("a", { href: `https://www.ncbi.nlm.nih.gov/bioproject/${row.accession}`, rel: "noreferrer" }, row.accession) }, { name: "title", value: (row) => row.title || "" },
    { name: "runs", value: (row) => row.runs, show: (row) => number(row.runs), number: true }], report.studies, { caption: "Studies" }));
  if (report.interpretation) parts.push(make("h3", {}, `Interpretation by ${report.model}: not counted in the index`), make("p", {}, report.interpretation));
  parts.push(make("h3", {}, "Where this comes from"), make("p", { class: "quiet" }, `Composed from facts. ${report.rating_explanation || ""}`));
  return parts;
}

function cautionsOf(report, risk) {
  const unlikely = report.pairs.filter((pair) => pair.plausibility === "unexpected").map((pair) => `${pair.virus} in ${pair.host}`);
  return [
    ...report.risk_lines.map((line) => `${line}.`),
    ...(risk === "unknown" ? ["The risk group of some of its viruses is not known, which does not make them safe."] : []),
    ...(unlikely.length ? [`Recorded nowhere else, so possibly contamination, food or a new host: ${unlikely.slice(0, 5).join("; ")}.`] : []),
    ...(report.associations.some((row) => row.flag) ? ["Some associations have a flag, which names what else may explain them."] : []),
  ];
}

function crumbs(place) {
  const all = index.communities;
  const above = [];
  let parent = all.parent[place];
  while (parent) {
    const one = all.community.indexOf(parent);
    if (one < 0) break;
    above.unshift(one);
    parent = all.parent[one];
  }
  return make("p", { class: "crumbs" }, make("a", { href: "#/reports" }, "Reports"), above.flatMap((one) =>
    [" › ", make("a", { href: `#/${all.community[one]}` }, all.title[one])]));
}

// ---- navigation --------------------------------------------------------------------------------

const views = { map: viewMap, reports: viewReports, relations: viewRelations, pairs: viewPairs, predictions: viewPredictions, associations: viewAssociations, places: viewPlaces, about: viewAbout };

async function go(moved) {
  const name = decodeURIComponent(location.hash.replace(/^#\/?/, "")) || "map";
  if (name === "main") return;
  for (const drawn of charts.splice(0)) drawn.dispose();
  const parts = await (views[name] || (() => viewReport(name)))();
  main.replaceChildren(...parts.flat().filter(Boolean));
  for (const draw of waiting.splice(0)) draw();
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#/${views[name] ? name : "reports"}`) {
      link.setAttribute("aria-current", views[name] ? "page" : "true");
      link.parentElement.scrollLeft = link.offsetLeft + link.offsetWidth > innerWidth ? link.offsetLeft - 40 : 0;
    }
    else link.removeAttribute("aria-current");
  }
  const heading = main.querySelector("h2");
  document.title = heading ? `${heading.textContent} – Virome atlas` : "Virome atlas";
  if (moved) { scrollTo(0, 0); main.focus({ preventScroll: true }); }
}

function shade(dark) {
  document.documentElement.dataset.shade = dark ? "dark" : "light";
  const button = document.getElementById("shade");
  button.textContent = dark ? "Light" : "Dark";
  button.setAttribute("aria-pressed", String(dark));
}

async function start() {
  index = await unpack("index");
  const asked = new URLSearchParams(location.search).get("shade");
  shade(asked ? asked === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  document.getElementById("shade").addEventListener("click", () => {
    shade(document.documentElement.dataset.shade !== "dark");
    go(false);
  });
  addEventListener("hashchange", () => go(true));
  addEventListener("resize", () => charts.forEach((drawn) => drawn.resize()));
  await go(false);
}

start();
