"use strict";
// What the served pages add to the atlas: a question box, the runs behind a citation, SQL.

async function fetched(path, body) {
  const options = body ? { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) } : {};
  const response = await fetch(path, options);
  const answer = await response.json();
  if (!response.ok) throw new Error([answer.message || JSON.stringify(answer.detail), remedyOf(answer)].filter(Boolean).join(". "));
  return answer;
}

// What to do about an error, unless that is a command for a terminal.
const remedyOf = ({ remedy }) => (remedy && !/\bquery [a-z]/.test(remedy) ? `${remedy[0].toUpperCase()}${remedy.slice(1)}.` : "");

function failure(error) {
  return make("p", { role: "alert", class: "runs" }, error.message);
}

const RUN_COLUMNS = ["run", "bioproject", "organism", "library_strategy", "viruses", "virus_reads"];

function runColumn(name) {
  const isNumber = name === "virus_reads";
  return {
    name: name.replace("_", " "),
    number: isNumber,
    value: (row) => row[name],
    show: (row) => (isNumber ? number(row[name]) : row[name] || ""),
  };
}

async function evidence(key, value, community) {
  // The runs behind a citation: a count, a filter, a table, and all of them as CSV.
  const query = new URLSearchParams({ key, value, limit: 1000, ...(community ? { community } : {}) });
  const found = await fetched(`/api/runs?${query}`);
  const words = make("input", { type: "search", placeholder: "accession, organism, virus" });
  const shown = make("div");
  const fill = () => {
    const asked = words.value.toLowerCase();
    const kept = found.runs.filter((row) => RUN_COLUMNS.some((name) => String(row[name] ?? "").toLowerCase().includes(asked)));
    const rows = table(RUN_COLUMNS.map(runColumn), kept, { limit: 20, caption: "Runs behind the citation" });
    shown.replaceChildren(make("p", { class: "quiet" }, `${number(kept.length)} of ${number(found.runs.length)} shown`), rows);
  };
  words.addEventListener("input", fill);
  fill();
  query.set("limit", 10000);
  const saved = make("a", { href: `/api/runs?${query}&format=csv`, download: "runs.csv" }, "Download CSV");
  const more = found.total > found.runs.length ? `, the first ${number(found.runs.length)} here` : "";
  return [
    make("p", {}, make("b", {}, `${key}: ${value}`), community ? [" in ", make("a", { href: `#/${community}` }, community)] : null, `: ${number(found.total)} runs${more}. `, saved),
    make("div", { class: "controls" }, labelled("Filter", words)),
    shown,
  ];
}

// A citation of a report or an answer shows its runs, fetched from the index.
reference = function (name, report, box, shown) {
  const [key, ...rest] = name.split(": ");
  const value = rest.join(": ");
  if (key === "community") return make("a", { href: `#/${value}`, class: "cite" }, shown || value);
  return opener(shown || value, async (event) => {
    const mark = event.currentTarget;
    box.replaceChildren("Looking up the runs …");
    openBox(box, mark);
    try { box.replaceChildren(...await evidence(key, value, report && report.community)); } catch (error) { box.replaceChildren(failure(error)); }
    box.scrollIntoView({ block: "nearest" });
  });
};

questionLink = (text) => `?${new URLSearchParams({ question: text })}#/ask`;

const code = (text) => make("pre", { tabindex: "0" }, text);

function paragraphs(text, box) {
  // Lines that begin with a dash are items of a list, code and commands are folded, reports are links.
  const parts = [];
  const blocks = text.split(/^```(\w*)\n([^]*?)^```$/m);
  for (let place = 1; place < blocks.length; place += 3) blocks[place + 1] = folded(blocks[place].toUpperCase() || "Code", code(blocks[place + 1].trim()));
  for (const block of blocks.filter((_, place) => place % 3 !== 1)) {
    if (typeof block !== "string") { parts.push(block); continue; }
    const [prose, more] = block.split(/^More:\n/m);
    for (const line of prose.split("\n").filter((one) => one.trim())) {
      const item = line.match(/^\s*[-*] (.*)$/);
      if (!item) parts.push(make("p", {}, cited(line.replace(/^#+ /, ""), null, box)));
      else {
        if (!parts.length || parts.at(-1).tagName !== "UL") parts.push(make("ul"));
        parts.at(-1).append(make("li", {}, cited(item[1], null, box)));
      }
    }
    const commands = (more || "").split("\n").map((line) => line.trim()).filter(Boolean);
    for (const command of commands) {
      const report = command.match(/^query report (\S+) +# (.*)$/);
      if (report) parts.push(make("p", {}, "Report: ", make("a", { href: `#/${report[1]}` }, report[2])));
    }
  }
  return parts;
}

function pointShown(point, box) {
  // What a community says of the question: its title opens its report, each cited value its runs.
  const title = index.communities.title[index.communities.community.indexOf(point.community)];
  const titled = title && point.description.startsWith(title);
  const said = [titled ? point.description.slice(title.length) : ` ${point.description}`];
  for (const one of point.citations.filter(({ key }) => key !== "community")) {
    const name = `${one.key}: ${one.value}`;
    if (!insertReference(said, name, point, box)) said.push(" ", reference(name, point, box));
  }
  const report = reference(`community: ${point.community}`, point, box, titled ? title : point.community);
  report.classList.add("inline");
  return [report, ...said];
}

function readingShown(reading, ask, isFollowUp) {
  // How the question was read, each name with a button that asks without it, unless it follows up.
  const parts = reading.read_as ? [[`Read as: ${reading.read_as}`]] : [];
  for (const name of isFollowUp ? [] : reading.names) {
    const rest = `${reading.question.slice(0, name.start)} ${reading.question.slice(name.end)}`.replace(/\s+/g, " ").trim();
    const mended = name.corrected ? ` (for “${name.text}”)` : "";
    const label = `Ask without ${name.text}`;
    const words = `${name.kind}: ${name.name}${mended}`.split(" ");
    const without = make("button", { type: "button", class: "cite", title: label, "aria-label": label, onclick: () => ask(rest) }, "×");
    parts.push([`${words.slice(0, -1).join(" ")} `, make("span", { class: "together" }, `${words.at(-1)} `, without)]);
  }
  if (reading.ignored.length) parts.push([`ignored: ${reading.ignored.join(", ")}`]);
  if (reading.not_understood.length) parts.push([`not understood: ${reading.not_understood.join(", ")}`]);
  return parts.flatMap((part, place) => (place ? [" · ", ...part] : part));
}

function choicesShown(choices, ask) {
  // The questions that may be meant, to pick from.
  const picks = choices.map((one) => make("li", {}, make("button", { type: "button", class: "cite inline", onclick: () => ask(one.question, { request: JSON.stringify(one.requests) }) }, one.question)));
  return picks.length ? [make("p", {}, "Did you mean:"), make("ol", {}, picks)] : [];
}

function barsShown({ quantity, bars, of_whole: ofWhole }) {
  // The chart of an answer: a bar for each number that its sentences compare.
  const narrow = innerWidth < 640;
  const { left, height, axis: names } = rowsOf(bars.map((bar) => bar.name), 26);
  const right = 16 + Math.ceil(Math.max(...bars.map((bar) => widthOf(bar.said, 12))));
  const label = { show: true, position: "right", color: color("--ink"), formatter: ({ dataIndex }) => bars[dataIndex].said };
  return chart({
    grid: { left, right, top: 4, bottom: 44 },
    xAxis: axis(quantity, { type: "value", max: ofWhole ? 1 : null, splitNumber: narrow ? 2 : 5, axisLabel: { color: color("--quiet"), hideOverlap: true, formatter: (value) => (ofWhole ? percent(value) : number(value)) } }),
    yAxis: names,
    series: [{ type: "bar", barWidth: 14, showBackground: ofWhole, backgroundStyle: { color: color("--raised") }, itemStyle: { color: color("--accent") }, data: bars.map((bar) => bar.value), label }],
  }, `Chart: ${quantity} of ${bars.map((bar) => `${bar.name} ${bar.said}`).join("; ")}`, { height, file: "answer" });
}

function listShown(lines, most = 3) {
  // The first lines of a list, and a button for the others.
  const items = lines.map((line, place) => make("li", { hidden: place >= most ? "" : null }, line));
  const rest = make("button", { type: "button", hidden: lines.length > most ? null : "", onclick: () => { items.forEach((item) => { item.hidden = false; }); rest.hidden = true; } }, `Show ${lines.length - most} more`);
  return [make("ul", {}, items), rest];
}

function copyLink({ currentTarget }) {
  // A browser lets a page copy only over https or on this machine.
  if (!navigator.clipboard) prompt("Link to this answer:", location.href);
  else navigator.clipboard.writeText(location.href).then(() => { currentTarget.textContent = "Link copied"; });
}

function answerShown(answer) {
  const box = make("div", { class: "runs", hidden: "", "aria-live": "polite" });
  const titled = (title, lines) => (lines && lines.length ? [make("h3", {}, title), ...listShown(lines)] : []);
  const rows = answer.table && answer.table.rows.length ? resultTable(answer.table) : null;
  const told = answer.chart || (answer.lead && answer.table && answer.table.rows.length <= 3);
  const tabled = rows ? [told ? folded(`Table: ${number(answer.table.rows.length)} ${answer.table.rows.length === 1 ? "row" : "rows"}`, rows) : rows] : [];
  const interpreted = answer.interpretation.length ? [make("h3", {}, `Interpretation by ${answer.usage.model}: not counted in the index`), make("p", {}, answer.interpretation.join(" "))] : [];
  const groups = (answer.groups || []).flatMap((group) => titled(group.heading, group.statements));
  const points = titled("Communities", answer.points.map((point) => pointShown(point, box)));
  const behind = [...answer.steps.map(code), ...(answer.requests.length ? [make("p", {}, "The question as a request, for ", make("a", { href: "/api" }, "programs"), ":"), ...answer.requests.map((request) => code(JSON.stringify(request)))] : [])];
  const lead = answer.lead && answer.answer.startsWith(answer.lead) ? [make("p", { class: "lead" }, cited(answer.lead, null, box))] : [];
  const rest = paragraphs(lead.length ? answer.answer.slice(answer.lead.length) : answer.answer, box);
  if (!lead.length && rest[0]) rest[0].classList.add("lead");
  const saved = saveButton("Answer as JSON", "answer.json", () => JSON.stringify(answer, null, 1));
  const linked = make("button", { type: "button", class: "cite", onclick: copyLink }, "Copy link");
  return [
    ...lead, ...rest, ...groups, ...(answer.chart ? [barsShown(answer.chart)] : []), ...tabled, make("p", { class: "save" }, linked, saved),
    ...interpreted, ...points, box, ...titled("Associations (MWAS)", answer.association_lines), ...titled("Sources", answer.source_lines),
    ...(behind.length ? [folded("How it was answered", ...behind)] : []), make("p", { class: "quiet" }, answer.ledger),
  ];
}

function drawn(body, parts) {
  body.replaceChildren(...parts);
  for (const draw of waiting.splice(0)) draw();
}

let streaming = null;

function stream(asked, { read, state, body, refused, answered }) {
  // Events of one answer: reading, facts, interpreting, answer or refused.
  if (streaming) streaming.close();
  const source = new EventSource(`/api/answer?${new URLSearchParams(asked)}`);
  streaming = source;
  const on = (name, act) => source.addEventListener(name, (event) => act(JSON.parse(event.data)));
  const done = () => { source.close(); state.textContent = ""; };
  on("reading", read);
  on("facts", (answer) => drawn(body, answerShown(answer)));
  on("interpreting", (said) => { state.textContent = `What is below is counted and complete; ${said.model} is interpreting it …`; });
  on("answer", (answer) => { done(); answered(answer); drawn(body, answerShown(answer)); });
  on("refused", (error) => { done(); body.replaceChildren(...refused(error)); });
  source.onerror = () => { done(); if (!body.childElementCount) body.replaceChildren(failure({ message: "The server does not answer. Is query serve still running?" })); };
}

function refusalShown(error, text, choices, ask) {
  // Why there is no answer, in words for a page: what can be picked instead, no commands.
  const said = error.message.replace(`'${text}': `, "").replace(`'${text}' `, "This ");
  const sentence = `${said[0].toUpperCase()}${said.slice(1)}.`.replace("..", ".");
  const remedy = choices.length ? "" : ` ${remedyOf(error)}`;
  const listed = choices.length ? [] : [make("p", {}, "What is in the index: ", make("a", { href: "#/map" }, "map"), ", ", make("a", { href: "#/reports" }, "reports"), ".")];
  return [failure({ message: `${sentence}${remedy}` }), ...choicesShown(choices, ask), ...listed];
}

async function viewAsk() {
  const modes = await fetched("/api/modes");
  const question = make("input", { type: "search", id: "question", placeholder: "Which viruses are found in bats?" });
  const mode = make("select", {}, modes.map((one) => make("option", { value: one.name }, one.title)));
  const can = make("p", { class: "quiet" });
  const examples = make("p", { class: "quiet" });
  const read = make("p", { class: "quiet", id: "reading" });
  const state = make("p", { class: "quiet", role: "status" });
  const body = make("div", { id: "answer" });
  const next = make("input", { type: "search", id: "follow-up", placeholder: "and in leaves? · only China" });
  const follow = make("form", { class: "controls ask", hidden: "" }, labelled("Change the question", next), make("button", { type: "submit" }, "Ask"));
  let previous = "";
  const about = () => {
    const one = modes.find((known) => known.name === mode.value);
    can.textContent = one.can;
    const tried = one.examples.slice(0, 4).map((text) => make("button", { type: "button", class: "cite", onclick: () => ask(text) }, text));
    examples.replaceChildren("Try: ", ...tried);
  };
  function ask(text, more = {}) {
    question.value = text;
    read.replaceChildren();
    body.replaceChildren();
    follow.hidden = true;
    can.hidden = examples.hidden = Boolean(text.trim());
    if (!text.trim()) return;
    state.textContent = "Counting …";
    let choices = [];
    const asked = Object.fromEntries(Object.entries({ ...more, question: text, mode: mode.value }).filter(([, value]) => value));
    stream(asked, {
      read: (reading) => { choices = reading.choices; read.replaceChildren(...readingShown(reading, ask, Boolean(more.previous))); },
      refused: (error) => { examples.hidden = Boolean(choices.length); return refusalShown(error, text, choices, ask); },
      answered: (answer) => {
        previous = answer.requests.length ? JSON.stringify(answer.requests.at(-1)) : "";
        follow.hidden = !previous;
        next.value = "";
        if (more.previous) question.value = answer.read_as;
        keepLink(question.value, mode.value, answer.requests);
      },
      state, body,
    });
  }
  mode.addEventListener("input", about);
  about();
  follow.addEventListener("submit", (event) => { event.preventDefault(); ask(next.value, { previous }); });
  const submit = (event) => { event.preventDefault(); ask(question.value); };
  const preset = new URLSearchParams(location.search);
  if (preset.get("mode")) mode.value = preset.get("mode");
  if (preset.get("question")) ask(preset.get("question"), { request: preset.get("request") });
  const build = preset.get("build");
  const older = build && build !== buildNow() ? make("p", { class: "runs" }, `This link was made on another build of the index (${build}; this one is ${buildNow()}): numbers may differ.`) : null;
  return [
    make("h2", {}, "Ask"), can,
    make("form", { class: "controls ask", onsubmit: submit }, labelled("Question", question), labelled("Answered by", mode), make("button", { type: "submit" }, "Ask")),
    older, examples, read, follow, state, body,
  ];
}

function keepLink(question, mode, requests) {
  // The address of the page holds the request and the build, so that a link gives the same answer.
  const request = requests.length ? { request: JSON.stringify(requests) } : {};
  history.replaceState(null, "", `?${new URLSearchParams({ question, mode, ...request, build: buildNow() })}#/ask`);
}

function shownCell(column, value) {
  if (column === "community" && index.communities.community.includes(value)) return make("a", { href: `#/${value}`, class: "id" }, value);
  if (typeof value !== "number") return String(value ?? "");
  return column === "q" ? qText(value) : number(value);
}

const SAID = { at_90: "at 90% identity", positive: "with it", known: "stated" };

function resultTable(result, caption = "Rows") {
  // Identifiers of what is named beside them are in the files only.
  const columns = result.columns.map((name, place) => ({ name, value: (row) => row[place], number: result.rows.some((row) => typeof row[place] === "number"), show: (row) => shownCell(name, row[place]) }));
  const shown = columns.filter(({ name }) => !result.columns.includes(name.replace(/_id$/, "")) || !name.endsWith("_id"));
  return table(shown.map((column) => ({ ...column, name: SAID[column.name] || column.name.replace(/_/g, " ") })), result.rows, { caption, saved: columns });
}

function viewSql() {
  const text = make("textarea", { rows: "6", style: "width:100%", spellcheck: "false", "aria-label": "SQL", id: "sql" });
  text.value = "SELECT title, runs, rating FROM summaries ORDER BY runs DESC LIMIT 10";
  const out = make("div", { "aria-live": "polite" });
  async function run(event) {
    event.preventDefault();
    out.replaceChildren("Running …");
    try { const answer = await fetched("/api/sql", { sql: text.value }); out.replaceChildren(answer.table ? resultTable(answer.table) : make("p", {}, answer.answer)); } catch (error) { out.replaceChildren(failure(error)); }
  }
  return [make("h2", {}, "SQL"), make("p", { class: "quiet" }, "One SELECT over the tables and views of the index; it is checked, run apart, and stopped after 20 seconds, 2 GB or 10,000 rows."),
    make("form", { onsubmit: run }, text, make("p", {}, make("button", { type: "submit" }, "Run"))), out];
}

function listedShown(found) {
  // What is known of pasted runs: a sentence, then tables of values, differences and communities.
  const rows = (caption, columns, listed) => (listed.length ? [make("h3", {}, caption), resultTable({ columns, rows: listed }, caption)] : []);
  const said = (facet) => ({ geography: "place", statOrganism: "organism by k-mers", label: "organism label" }[facet] || facet);
  const missing = Object.entries(found.without).filter(([, count]) => count).map(([facet, count]) => `${said(facet)} (${number(count)})`).join(", ");
  const lost = [["Not in the index", found.unknown], ["Withdrawn from the archive", found.withdrawn]].filter(([, names]) => names.length)
    .map(([what, names]) => ` ${what}: ${names.slice(0, 20).join(", ")}.`).join("");
  return [
    make("p", { class: "lead" }, `${number(found.runs.length)} runs of ${number(found.studies)} studies, ${number(found.positive)} with a virus.`),
    ...rows("What they have", ["facet", "value", "runs", "of known", "studies"], found.values.map((one) => [said(one.facet), one.value, one.runs, one.known, one.studies])),
    ...rows(`What sets them apart: ${number(found.tested)} values tested, counted in ${found.unit}`, ["facet", "value", "here", "of known here", "elsewhere", "of known elsewhere", "q"], found.apart.map((one) => [said(one.facet), one.value, one.here, one.known_here, one.elsewhere, one.known_elsewhere, one.q_value])),
    ...rows("Communities", ["community", "runs", "of its runs", "title"], found.communities.map((one) => [one.community, one.runs, one.of_runs, one.title])),
    make("p", { class: "quiet" }, missing ? `Not stated or not searched, in runs: ${missing}.` : "", lost),
  ];
}

function viewRuns() {
  const text = make("textarea", { rows: "8", style: "width:100%", spellcheck: "false", "aria-label": "Runs", id: "listed", placeholder: "SRR…, SAMN…, PRJNA…, or the hits of a sequence search" });
  const out = make("div", { "aria-live": "polite" });
  async function look(event) {
    event.preventDefault();
    out.replaceChildren("Looking up the runs …");
    try { out.replaceChildren(...listedShown(await fetched("/api/listed", { text: text.value }))); } catch (error) { out.replaceChildren(failure(error)); }
  }
  return [make("h2", {}, "Your runs"), make("p", { class: "quiet" }, "Paste a list or a table: what is known of these runs, and what sets them apart from all others."),
    make("form", { onsubmit: look }, text, make("p", {}, make("button", { type: "submit" }, "Look up"))), out];
}

// What was asked stays when another view, or the other shade, is shown in between.
let askView, runsView, sqlView;
views.ask = async () => (askView ||= await viewAsk());
views.runs = () => (runsView ||= viewRuns());
views.sql = () => (sqlView ||= viewSql());
const menu = document.querySelector("nav");
menu.prepend(make("a", { href: "#/ask" }, "Ask"));
menu.append(make("a", { href: "#/runs" }, "Your runs"), make("a", { href: "#/sql" }, "SQL"), make("a", { href: "/api" }, "API"));
