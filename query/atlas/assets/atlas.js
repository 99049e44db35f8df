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
const percent = (value) => (value === null || value === undefined ? "" : `${(100 * value).toFixed(value < 0.1 ? 1 : 0)}%`);
const qText = (q) => (q === null || q === undefined ? "" : q < 0.001 ? "< 0.001" : q.toFixed(3));
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function badge(text) {
  return make("span", { class: `badge ${String(text).split(" ")[0]}` }, String(text));
}

function table(columns, rows, { limit = 100, sort = null, caption = "" } = {}) {
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
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption || "Table" },
    make("table", {}, make("thead", {}, head), body), more);
}

function compare(a, b) {
  if (a === null || a === undefined) return b === null || b === undefined ? 0 : -1;
  if (b === null || b === undefined) return 1;
  return typeof a === "number" ? a - b : String(a).localeCompare(String(b));
}

function chart(option, label, { low = false, onclick = null, height = null } = {}) {
  const box = make("div", { class: low ? "chart low" : "chart", role: "img", "aria-label": label });
  if (height) box.style.height = `${height}px`;
  waiting.push(() => {
    const drawn = echarts.init(box, null, { renderer: "canvas" });
    drawn.setOption({
      animation: false, textStyle: { fontFamily: "system-ui, sans-serif", color: color("--ink") },
      aria: { enabled: true }, ...option,
    });
    if (onclick) drawn.on("click", onclick);
    charts.push(drawn);
  });
  return box;
}

const axis = (name, more = {}) => ({
  name, nameLocation: "middle", nameGap: 32, nameTextStyle: { color: color("--quiet") },
  axisLabel: { color: color("--quiet") }, axisLine: { lineStyle: { color: color("--line") } },
  splitLine: { lineStyle: { color: color("--line") } }, ...more,
});
const palette = ["#0f766e", "#b45309", "#1d4ed8", "#9d174d", "#4d7c0f", "#6d28d9", "#0e7490", "#a16207"];
const ofGroup = { virus: "#b91c1c", host: "#0f766e", tissue: "#1d4ed8" };
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

const FIELDS = 300;

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

function fields(community, from = 0) {
  // The treemap of one step of the hierarchy: its largest communities, and one field for the rest,
  // which opens into the next ones and takes at most a fifth of the area.
  const all = index.communities;
  const places = childrenOf().get(community) || [];
  const shade = (rating) => `hsl(${190 - 2 * rating}, ${15 + 6 * rating}%, ${52 - 3 * rating}%)`;
  const shown = places.slice(from, from + FIELDS).map((place) => {
    const id = all.community[place];
    const inner = childrenOf().has(id);
    return { id, inner, name: `${inner ? "▸ " : ""}${all.title[place]}`, value: all.runs[place], runs: all.runs[place], itemStyle: { color: shade(all.rating[place]) } };
  });
  const rest = places.slice(from + FIELDS);
  if (rest.length) {
    const runs = rest.reduce((sum, place) => sum + all.runs[place], 0);
    const room = shown.reduce((sum, one) => sum + one.value, 0) / 4;
    shown.push({ name: `▸ ${number(rest.length)} smaller communities`, value: Math.min(runs, room), runs, next: from + FIELDS, itemStyle: { color: "#64748b" } });
  }
  return shown.map((one) => ({ ...one, label: fieldLabel(one, shown) }));
}

function fieldLabel(field, fields) {
  // A name that its field can hold: smaller letters in a small field, long words cut and not broken,
  // no name where none can be read. The tooltip and the table of reports have it whole.
  const total = fields.reduce((sum, one) => sum + one.value, 0);
  const side = Math.sqrt((field.value / total) * Math.min(innerWidth, 1200) * 550);
  const fontSize = side < 110 ? 10 : 12;
  const letters = Math.max(5, Math.floor((0.72 * side) / (0.52 * fontSize)));
  const cut = (word) => (word.length > letters ? `${word.slice(0, letters - 1)}…` : word);
  const name = field.name.split(" ").map(cut).join(" ");
  return { show: side >= 62, fontSize, lineHeight: fontSize + 3, formatter: name };
}

function viewMap() {
  const all = index.communities;
  const option = (community, from) => ({
    tooltip: { formatter: (hit) => echarts.format.encodeHTML(`${hit.name}`) + `<br>${number(hit.data && hit.data.runs)} runs` },
    series: [{
      type: "treemap", data: fields(community, from), roam: false, nodeClick: false, breadcrumb: { show: false },
      label: { position: "insideTopLeft", padding: 4, formatter: "{b}", overflow: "break", lineHeight: 15, color: "#fff", fontSize: 12 },
      itemStyle: { borderColor: color("--paper"), borderWidth: 1, gapWidth: 1 }, top: 4, left: 0, right: 0, bottom: 4,
    }],
  });
  const trail = make("p", { class: "crumbs", "aria-live": "polite" });
  let entered = null;
  const onclick = (hit) => {
    if (!hit.data) return;
    if (hit.data.next) enter(entered, hit.data.next);
    else if (hit.data.inner) enter(hit.data.id);
    else if (hit.data.id) location.hash = `#/${hit.data.id}`;
  };
  const box = chart(option(null), "Treemap of communities by number of runs", { onclick });
  function enter(community, from = 0) {
    entered = community;
    echarts.getInstanceByDom(box).setOption(option(community, from), { notMerge: true });
    follow(community, from);
  }
  function follow(community, from = 0) {
    const step = (name, act) => make("button", { type: "button", class: "cite", onclick: act }, name);
    if (community === null && from) {
      trail.replaceChildren(step("All communities", () => enter(null)), ` › from number ${number(from + 1)} by size`);
      return;
    }
    if (community === null) {
      trail.replaceChildren("All communities. A field with ▸ opens into its parts, any other opens its report; a grey field is the rest, not to scale.");
      return;
    }
    const above = [];
    for (let one = community; all.community.includes(one); one = all.parent[all.community.indexOf(one)]) above.unshift(one);
    const title = (one) => all.title[all.community.indexOf(one)];
    const steps = above.slice(0, -1).map((one) => [" › ", step(title(one), () => enter(one))]);
    const here = make("a", { href: `#/${community}` }, `Report: ${title(community)}`);
    trail.replaceChildren(step("All communities", () => enter(null)), ...steps.flat(), " › ", here);
  }
  follow(null);
  return [
    make("h2", {}, "Communities"),
    make("p", { class: "quiet" }, "Runs that share viruses, hosts, tissues, places and projects. Area: runs. Darker: a higher rating, that is stronger evidence. Every field is also a row of ",
      make("a", { href: "#/reports" }, "Reports"), "."),
    overview(), leftOut(), trail, box,
  ];
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

function viewFlow() {
  const key = (kind, name) => `${kind}\u0000${name}`;
  const kinds = new Map();
  for (const link of index.flows) {
    kinds.set(key(link.source_kind, link.source), link.source_kind);
    kinds.set(key(link.target_kind, link.target), link.target_kind);
  }
  const shown = (name) => name.split("\u0000")[1];
  const nodes = [...kinds].map(([name, kind]) => ({ name, itemStyle: { color: ofGroup[kind] }, depth: { virus: 0, host: 1, tissue: 2 }[kind] }));
  const links = index.flows.map((link) => ({ source: key(link.source_kind, link.source), target: key(link.target_kind, link.target), value: link.runs }));
  const say = (hit) => echarts.format.encodeHTML(hit.dataType === "edge" ? `${shown(hit.data.source)} – ${shown(hit.data.target)}: ${number(hit.value)} runs` : shown(hit.name));
  const label = { color: color("--ink"), formatter: (hit) => shown(hit.name) };
  const narrow = innerWidth < 640;
  const inColumn = Object.keys(ofGroup).map((kind) => [...kinds.values()].filter((one) => one === kind).length);
  const mostInAColumn = Math.max(1, ...inColumn);
  const sankey = { tooltip: { formatter: say }, series: [{ type: "sankey", data: nodes, links, nodeGap: 12, left: 0, right: narrow ? 90 : 200, top: 8, bottom: 8, label: { ...label, fontSize: narrow ? 10 : 12, width: narrow ? 80 : 190, overflow: "truncate" }, lineStyle: { color: "gradient", opacity: 0.25 }, emphasis: { focus: "adjacency" } }] };
  const weight = new Map();
  for (const link of links) for (const end of [link.source, link.target]) weight.set(end, (weight.get(end) || 0) + link.value);
  const most = Math.max(1, ...weight.values());
  const categories = Object.keys(ofGroup).map((name) => ({ name, itemStyle: { color: ofGroup[name] } }));
  const network = { tooltip: { formatter: say }, legend: [{ top: 0, data: Object.keys(ofGroup), textStyle: { color: color("--ink") } }], series: [{
    type: "graph", layout: "force", roam: true, zoom: 0.75, top: 60, categories,
    data: nodes.map((node) => ({ name: node.name, category: kinds.get(node.name), symbolSize: 6 + 40 * Math.sqrt(weight.get(node.name) / most), label: { show: true, position: "right", ...label } })),
    links: links.map((link) => ({ source: link.source, target: link.target, value: link.value, lineStyle: { width: 1 + 5 * Math.sqrt(link.value / most), color: color("--quiet"), opacity: 0.35 } })),
    force: { repulsion: 220, edgeLength: [40, 140], layoutAnimation: false }, labelLayout: { hideOverlap: true },
  }] };
  const columns = [
    { name: "from", value: (row) => row.source }, { name: "kind", value: (row) => row.source_kind, show: (row) => badge(row.source_kind) },
    { name: "to", value: (row) => row.target }, { name: "kind", value: (row) => row.target_kind, show: (row) => badge(row.target_kind) },
    { name: "runs", value: (row) => row.runs, show: (row) => number(row.runs), number: true },
  ];
  return [
    make("h2", {}, "Virus, host, tissue"),
    make("p", { class: "quiet" }, "Runs that carry a virus family and state the host, and of these the runs that state a tissue. A width is a number of runs; the largest links are shown."),
    chart(sankey, "Sankey diagram from virus families to hosts to tissues", { height: Math.max(narrow ? 560 : 720, 22 * mostInAColumn) }),
    make("h3", {}, "As a network"),
    make("p", { class: "quiet" }, "A line is wider the more runs have both, a circle larger the more runs all its lines have together."), chart(network, "Network of virus families, hosts and tissues"),
    make("h3", {}, "As a table"), table(columns, index.flows, { limit: 20, caption: "Links" }),
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
  return [
    make("h2", {}, "Is the virus at home in this host?"),
    make("p", { class: "quiet" }, "Each pair of a virus and what it was found in, with the runs of which the class is true. Recorded: the literature has it. Resident: the virus lives in the cell line of these runs. New within class: recorded in a relative of the host. Unexpected: recorded neither in the host nor in its class, so it is possibly contamination, food or a new host. Library: the sequenced organism is a virus. Where another organism than the host was sequenced, the pair is of that organism."),
    chart({ tooltip: {}, grid: { left: 130, right: 40, top: 8, bottom: 44 }, xAxis: axis("pairs of virus and host", { type: "value" }), yAxis: axis("", { type: "category", inverse: true, data: names }),
      series: [{ type: "bar", data: names.map((name) => ({ value: totals[name], itemStyle: { color: ofClass[name] || palette[0] } })), label: { show: true, position: "right", color: color("--ink") } }] },
    "Pairs per class of plausibility", { height: 80 + 34 * names.length }),
    make("div", { class: "controls" }, labelled("Class", kind), labelled("Find", words)), out,
  ];
}

function volcano(rows) {
  const most = 10;  // permutation tests reach no further, imported q-values of zero do
  const height = (q) => Math.min(most, -Math.log10(Math.max(q, 1e-300)));
  const flagged = rows.filter((row) => row.flag), clean = rows.filter((row) => !row.flag);
  const points = (part) => part.map((row) => ({ value: [row.fold_change, height(row.q_value)], row }));
  return {
    tooltip: { formatter: ({ data }) => echarts.format.encodeHTML(`${data.row.family}, ${data.row.attribute} = ${data.row.value} (${data.row.bioproject}), q ${qText(data.row.q_value)}${data.row.flag ? `, ${data.row.flag}` : ""}`) },
    legend: { top: 0, data: ["no flag", "flagged"], textStyle: { color: color("--ink") } },
    grid: { left: 60, right: 20, top: 40, bottom: 50 },
    xAxis: axis("log2 fold change of mean reads (or coverage) per million", { type: "value" }), yAxis: axis(`-log10 q (${most}: or more)`, { type: "value", min: 0 }),
    series: [
      { name: "flagged", type: "scatter", symbolSize: 5, itemStyle: { color: "#9ca3af", opacity: 0.6 }, data: points(flagged) },
      { name: "no flag", type: "scatter", symbolSize: 8, itemStyle: { color: palette[0] }, data: points(clean),
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
const DIFFERENCE = { quantity: "difference of mean reads (or coverage) per million, 95% interval", value: (row) => row.difference, scale: SYMMETRIC };
const HEDGES = { quantity: "standardised difference of means (Hedges' g), 95% interval", value: (row) => row.effect, scale: LINEAR };

function forest(rows, name, { quantity, value, scale }) {
  // Each row is a point with its interval, all three of the same quantity.
  const data = rows.map((row, place) => [scale.place(value(row)), place, scale.place(row.ci_low), scale.place(row.ci_high)]);
  const axisLabel = { ...scale.axis.axisLabel, color: color("--quiet") };
  return {
    grid: { left: innerWidth < 640 ? 130 : 300, right: 24, top: 8, bottom: 46 },
    tooltip: { formatter: ({ dataIndex }) => rows[dataIndex] && echarts.format.encodeHTML(`${name(rows[dataIndex])}: ${number(value(rows[dataIndex]))} (${number(rows[dataIndex].ci_low)} to ${number(rows[dataIndex].ci_high)})`) },
    xAxis: axis(quantity, { type: "value", ...scale.axis, axisLabel }),
    yAxis: axis("", { type: "category", inverse: true, data: rows.map(name), axisLabel: { color: color("--ink"), width: innerWidth < 640 ? 120 : 290, overflow: "truncate" } }),
    series: [{
      type: "custom", data, encode: { x: [0, 2, 3], y: 1 },
      renderItem: (_, api) => {
        const at = (place) => api.coord([place, api.value(1)]);
        const [x, y] = at(api.value(0)), low = at(api.value(2))[0], high = at(api.value(3))[0];
        const line = { type: "line", shape: { x1: low, y1: y, x2: high, y2: y }, style: { stroke: palette[0], lineWidth: 2 } };
        const dot = { type: "circle", shape: { cx: x, cy: y, r: 5 }, style: { fill: palette[0] } };
        return { type: "group", children: [line, dot] };
      },
    }, { type: "line", data: [], markLine: { silent: true, symbol: "none", label: { show: false }, lineStyle: { color: color("--quiet") }, data: [{ xAxis: 0 }] } }],
  };
}

const drawable = (rows, { value }) => rows.filter((row) => [value(row), row.ci_low, row.ci_high].every(Number.isFinite));

function viewAssociations() {
  const hold = index.associations.filter((row) => row.q_value <= 0.05);
  const clean = hold.filter((row) => !row.flag);
  const columns = [
    { name: "family", value: (row) => row.family }, { name: "attribute", value: (row) => row.attribute },
    { name: "value", value: (row) => row.value }, { name: "project", value: (row) => row.bioproject },
    { name: "with / without", value: (row) => row.num_true, show: (row) => `${number(row.num_true)} / ${number(row.num_false)}`, number: true },
    { name: "log2 fold", value: (row) => row.fold_change, number: true },
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
    parts.push(make("h3", {}, "Combined over projects"), chart(forest(rows, (row) => `${row.family}: ${row.value} (${row.projects} projects)`, HEDGES), "Forest plot of combined effects", { height: 80 + 28 * rows.length }));
  }
  parts.push(make("h3", {}, "All"), table(columns, index.associations, { caption: "Associations" }));
  return parts;
}

async function viewPlaces() {
  const land = await unpack("land");
  const outline = { type: "FeatureCollection", features: [{ type: "Feature", properties: { name: "land" }, geometry: { type: "MultiPolygon", coordinates: land.map((ring) => [ring]) } }] };
  if (!echarts.getMap("land")) echarts.registerMap("land", outline);
  const most = Math.max(1, ...index.places.map((place) => place.runs));
  const option = {
    tooltip: { formatter: ({ data }) => (data && data.place ? echarts.format.encodeHTML(`${data.place.country || "place"}: ${number(data.place.runs)} runs, ${number(data.place.virus_runs)} with a virus`) : "") },
    geo: { map: "land", roam: true, silent: true, left: 10, right: 10, top: 10, bottom: 10, itemStyle: { areaColor: color("--raised"), borderColor: color("--line") } },
    series: [{ type: "scatter", coordinateSystem: "geo", itemStyle: { color: palette[0], opacity: 0.65 }, data: index.places.map((place) => ({ value: [place.longitude, place.latitude], place, symbolSize: Math.max(4, 22 * Math.sqrt(place.runs / most)) })) }],
  };
  const columns = [
    { name: "country or sea", value: (row) => row.country },
    { name: "runs", value: (row) => row.runs, show: (row) => number(row.runs), number: true },
    { name: "with a virus", value: (row) => row.virus_runs, show: (row) => number(row.virus_runs), number: true },
  ];
  return [
    make("h2", {}, "Places"),
    make("p", { class: "quiet" }, "Where samples were taken, as far as it is stated. A point is a place with coordinates, its area the number of runs; small points are drawn larger, to be seen."),
    index.places.length ? chart(option, "World map of places with runs") : make("p", {}, "No sample of this index has coordinates."),
    table(columns, index.countries, { caption: "Countries and seas" }),
  ];
}

function viewAbout() {
  const columns = [{ name: "ontology", value: (row) => row.ontology }, { name: "version", value: (row) => row.version }, { name: "licence", value: (row) => row.licence }, { name: "terms", value: (row) => row.terms, show: (row) => number(row.terms), number: true }];
  return [
    make("h2", {}, "About this index"), overview(),
    make("p", {}, "Counts are of distinct runs and were made in SQL; every number of a report equals its fact. “Not found” counts among runs that were searched. Unknown is never zero."),
    make("h3", {}, "Ontologies"), table(columns, index.ontologies, { caption: "Ontologies" }),
    make("h3", {}, "How old the data are"), table([{ name: "what", value: (row) => row.kind }, { name: "source", value: (row) => row.name }, { name: "as of", value: (row) => row.as_of, show: (row) => row.as_of || "not said" }, { name: "dated by", value: (row) => row.dated_by }], index.sources, { caption: "How old the data are" }),
    make("h3", {}, "How it was built"), table([{ name: "what", value: (row) => row.key }, { name: "value", value: (row) => row.value }], index.build, { limit: 60, caption: "Build" }),
  ];
}

// ---- a report ----------------------------------------------------------------------------------

function cited(text, report, box) {
  // Text with its references as buttons that show the runs behind them.
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(/\[Filters: (.*?)\](?!\])/g)) {
    parts.push(text.slice(from, match.index));
    for (const one of match[1].matchAll(/\{\{((?:\\.|[^{}])*)\}\}/g)) {
      const name = one[1].replace(/\\([\\[\]{}])/g, "$1");
      parts.push(reference(name, report, box));
    }
    from = match.index + match[0].length;
  }
  parts.push(text.slice(from));
  return parts;
}

let reference = function (name, report, box) {
  const [key, ...rest] = name.split(": ");
  const value = rest.join(": ");
  if (key === "community") return make("a", { href: `#/${value}`, class: "cite" }, value);
  const runs = report.cited[name] || report.cited[Object.keys(report.cited).find((known) => known.toLowerCase() === name.toLowerCase())];
  return make("button", { type: "button", class: "cite", onclick: () => {
    const listed = (runs || []).map((run) => make("code", {}, run));
    box.replaceChildren(make("b", {}, `${key}: ${value}`), " – ", ...(listed.length ? ["for example ", ...listed] : ["the runs are in the index: query report"]));
    box.hidden = false;
  } }, value);
};

function factsChart(report, runs) {
  // Values of facets that a tenth of the runs state: four of five runs say little of nine hundred.
  const facts = report.facts.filter((fact) => fact.share && fact.runs / fact.share >= 0.1 * runs).slice(0, 40);
  const best = facts.sort((a, b) => Math.abs(b.share - (b.parent ?? b.background)) - Math.abs(a.share - (a.parent ?? a.background))).slice(0, 12);
  if (!best.length) return null;
  const names = best.map((fact) => `${fact.value} (${fact.facet}, ${number(fact.runs)} ${fact.runs === 1 ? "run" : "runs"})`);
  const against = best.some((fact) => fact.parent !== null);
  return chart({
    tooltip: { trigger: "axis", axisPointer: { type: "shadow" }, valueFormatter: (value) => percent(value) },
    legend: { top: 0, textStyle: { color: color("--ink") } },
    grid: { left: innerWidth < 640 ? 130 : 280, right: 24, top: 34, bottom: 40 },
    xAxis: axis("share of the runs that state it", { type: "value", max: 1, axisLabel: { color: color("--quiet"), formatter: percent } }),
    yAxis: axis("", { type: "category", inverse: true, data: names, axisLabel: { color: color("--ink"), width: innerWidth < 640 ? 120 : 270, overflow: "truncate" } }),
    series: [
      { name: "here", type: "bar", data: best.map((fact) => fact.share), itemStyle: { color: palette[0] } },
      against ? { name: "parent", type: "bar", data: best.map((fact) => fact.parent), itemStyle: { color: "#94a3b8" } }
        : { name: "whole index", type: "bar", data: best.map((fact) => fact.background), itemStyle: { color: "#94a3b8" } },
    ],
  }, "Shares of values here against the parent or the whole index", { height: 90 + 36 * best.length });
}

async function viewReport(community) {
  const all = index.communities;
  const place = all.community.indexOf(community);
  if (place < 0) return [make("h2", {}, "No such community"), make("p", {}, community, " has no report of its own. ", make("a", { href: "#/reports" }, "All reports"))];
  const at = (name) => all[name][place];
  const heading = [crumbs(place), make("h2", {}, at("title")),
    make("p", { class: "quiet" }, `${community} · ${at("label")} · level ${at("level")} · ${number(at("runs"))} runs · rating ${at("rating")} `, badge(at("risk")))];
  const chunk = index.chunks[community];
  if (chunk === undefined) return [...heading, leftOut()];
  const report = (await unpack(`reports-${chunk}`))[community];
  const box = make("div", { class: "runs", hidden: "", "aria-live": "polite" });
  const children = all.community.map((_, one) => one).filter((one) => all.parent[one] === community);
  const parts = [...heading, make("p", {}, cited(report.summary, report, box)), box];
  if (report.findings.length) {
    parts.push(make("h3", {}, "Findings"), make("ol", { class: "findings" }, report.findings.map((finding) =>
      make("li", {}, make("b", {}, cited(finding.summary, report, box)), " ", cited(finding.explanation || "", report, box)))));
  }
  const facts = factsChart(report, at("runs"));
  if (facts) parts.push(make("h3", {}, "What it holds"), facts);
  if (report.pairs.length) parts.push(make("h3", {}, "Viruses and hosts that its runs join"), table([
    { name: "virus", value: (row) => row.virus }, { name: "host", value: (row) => row.host },
    { name: "plausibility", value: (row) => row.plausibility, show: (row) => badge(row.plausibility) },
    { name: "runs", value: (row) => row.runs, show: (row) => number(row.runs), number: true }], report.pairs, { caption: "Viruses and hosts" }));
  if (children.length) parts.push(make("h3", {}, "It divides into"), table([
    { name: "report", value: (one) => all.title[one], show: (one) => make("a", { href: `#/${all.community[one]}` }, all.title[one]) },
    { name: "runs", value: (one) => all.runs[one], show: (one) => number(all.runs[one]), number: true }], children, { limit: 20, caption: "Children" }));
  const tested = drawable(report.associations, DIFFERENCE);
  if (report.associations.length) parts.push(make("h3", {}, "Associations tested mostly in its samples"),
    tested.length ? chart(forest(tested, (row) => `${row.family}: ${row.attribute} = ${row.value}`, DIFFERENCE), "Forest plot of associations", { height: 80 + 28 * tested.length }) : null,
    table([{ name: "family", value: (row) => row.family }, { name: "value", value: (row) => `${row.attribute} = ${row.value}` }, { name: "project", value: (row) => row.bioproject }, { name: "q", value: (row) => row.q_value, show: (row) => qText(row.q_value), number: true }, { name: "flag", value: (row) => row.flag, show: (row) => row.flag || "" }], report.associations, { caption: "Associations" }));
  if (report.studies.length) parts.push(make("h3", {}, "Studies"), table([
    { name: "project", value: (row) => row.accession }, { name: "title", value: (row) => row.title || "" },
    { name: "runs", value: (row) => row.runs, show: (row) => number(row.runs), number: true }], report.studies, { caption: "Studies" }));
  if (report.interpretation) parts.push(make("h3", {}, `Interpretation by ${report.model}: not counted in the index`), make("p", {}, report.interpretation));
  parts.push(make("h3", {}, "Where this comes from"), make("p", { class: "quiet" }, `Composed from facts. ${report.rating_explanation || ""} Risk group ${at("risk")}${report.risk_name ? `: ${report.risk_name} (${report.risk_rule})` : ""}.`));
  return parts;
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

const views = { map: viewMap, reports: viewReports, flow: viewFlow, pairs: viewPairs, associations: viewAssociations, places: viewPlaces, about: viewAbout };

async function go(moved) {
  const name = decodeURIComponent(location.hash.replace(/^#\/?/, "")) || "map";
  if (name === "main") return;
  for (const drawn of charts.splice(0)) drawn.dispose();
  const parts = await (views[name] || (() => viewReport(name)))();
  main.replaceChildren(...parts.flat().filter(Boolean));
  for (const draw of waiting.splice(0)) draw();
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#/${name}`) link.setAttribute("aria-current", "page");
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
