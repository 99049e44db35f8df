"use strict";
// What the served pages have beside the atlas: a question box, the runs behind a citation, SQL.

async function fetched(path, body) {
  const options = body ? { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) } : {};
  const response = await fetch(path, options);
  const answer = await response.json();
  if (!response.ok) throw new Error([answer.message || JSON.stringify(answer.detail), answer.remedy].filter(Boolean).join(". "));
  return answer;
}

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
    const rows = table(RUN_COLUMNS.map(runColumn), kept, { limit: 50, caption: "Runs behind the citation" });
    shown.replaceChildren(make("p", { class: "quiet" }, `${number(kept.length)} of ${number(found.runs.length)} shown`), rows);
  };
  words.addEventListener("input", fill);
  fill();
  query.set("limit", 10000);
  const saved = make("a", { href: `/api/runs?${query}&format=csv`, download: "runs.csv" }, "Download CSV");
  const more = found.total > found.runs.length ? `, the first ${number(found.runs.length)} here` : "";
  return [
    make("p", {}, make("b", {}, `${key}: ${value}`), community ? [" in ", make("a", { href: `#/${community}` }, community)] : null, ` – ${number(found.total)} runs${more}. `, saved),
    make("div", { class: "controls" }, labelled("Filter", words)),
    shown,
  ];
}

// A citation of a report or an answer shows its runs, fetched from the index.
reference = function (name, report, box) {
  const [key, ...rest] = name.split(": ");
  const value = rest.join(": ");
  if (key === "community") return make("a", { href: `#/${value}`, class: "cite" }, value);
  return make("button", { type: "button", class: "cite", onclick: async () => {
    box.hidden = false;
    box.replaceChildren("Looking up the runs …");
    try { box.replaceChildren(...await evidence(key, value, report && report.community)); } catch (error) { box.replaceChildren(failure(error)); }
  } }, value);
};

function communityOf(line) {
  // The community that a line is about, in which its citations are looked up.
  const found = line.match(/\{\{community: ([^{}]*)\}\}/);
  return found ? { community: found[1] } : null;
}

function paragraphs(text, box) {
  // Lines that begin with a dash are items of a list, others paragraphs.
  const parts = [];
  for (const line of text.split("\n").filter((one) => one.trim())) {
    const item = line.match(/^\s*[-*] (.*)$/);
    if (!item) parts.push(make("p", {}, cited(line.replace(/^#+ /, ""), communityOf(line), box)));
    else {
      if (!parts.length || parts[parts.length - 1].tagName !== "UL") parts.push(make("ul"));
      parts[parts.length - 1].append(make("li", {}, cited(item[1], communityOf(line), box)));
    }
  }
  return parts;
}

function without(question, words) {
  // The question without a name and the preposition before it.
  const plain = words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const named = new RegExp(`(?:\\b(?:in|of|from|with|and|or|the)\\s+)*${plain}`, "i");
  return question.replace(named, " ").replace(/\s+([?,.])/g, "$1").replace(/\s+/g, " ").trim();
}

const KINDS = ["describe", "list", "count", "share", "exists", "compare", "rank", "associate"];

function editShown(reading, changed) {
  // The kind of answer and the number of values, to be changed by hand.
  const kinds = KINDS.includes(reading.kind) ? KINDS : [reading.kind, ...KINDS];
  const kind = make("select", { id: "kind" }, kinds.map((name) => make("option", { selected: name === reading.kind ? "" : null }, name)));
  const first = make("input", { id: "limit", type: "number", min: "1", max: "1000", size: "5", placeholder: "all", value: reading.limit });
  const act = () => changed({ kind: kind.value, limit: first.checkValidity() ? first.value : "" });
  kind.addEventListener("change", act);
  first.addEventListener("change", act);
  return make("span", { class: "controls" }, labelled("Kind of answer", kind), labelled("How many values", first));
}

function readingShown(reading, question, ask) {
  // What was read, with a button for each change of the question that can be offered.
  const change = (text, label, title) => make("button", { type: "button", class: "cite", title, "aria-label": title, onclick: () => ask(text) }, label);
  const parts = [`Read as: ${reading.kind}`];
  if (reading.facets.length) parts.push(` of ${reading.facets.join(", ")}`);
  for (const one of reading.words) {
    parts.push(" · ", `${one.group}: ${one.name} `, change(without(question, one.text), "×", `Ask without ${one.text}`));
  }
  for (const [group, names] of Object.entries(reading.without)) parts.push(` · without ${group}: ${names.join(" or ")}`);
  if (reading.all_of.length) parts.push(` · all of ${reading.all_of.join(", ")}`);
  if (reading.compared.length) parts.push(` · compared: ${reading.compared.join(" and ")}`);
  if (reading.limit) parts.push(` · the first ${reading.limit}`);
  if (reading.not_understood.length) parts.push(` · not understood: ${reading.not_understood.join(", ")}`);
  for (const [word, near] of Object.entries(reading.proposals)) {
    parts.push(" ", change(question.replace(word, near), `${near}?`, `Ask for ${near} in place of ${word}`));
  }
  return parts;
}

function answerShown(answer) {
  const box = make("div", { class: "runs", hidden: "", "aria-live": "polite" });
  const titled = (title, lines) => (lines && lines.length ? [make("h3", {}, title), make("ul", {}, lines.map((line) => make("li", {}, line)))] : []);
  const rows = answer.table ? [resultTable(answer.table)] : [];
  const steps = answer.steps.length ? [make("h3", {}, "Steps"), ...answer.steps.map((step) => make("pre", { tabindex: "0" }, step))] : [];
  const interpreted = answer.interpretation.length ? [make("h3", {}, `Interpretation by ${answer.usage.model}: not counted in the index`), make("p", {}, answer.interpretation.join(" "))] : [];
  const [lead, ...rest] = paragraphs(answer.answer, box);
  if (lead) lead.classList.add("lead");
  return [
    ...(lead ? [lead] : []), ...rest, box, ...rows, ...titled("Associations (MWAS)", answer.association_lines),
    ...titled("Sources", answer.source_lines), ...steps, ...interpreted, make("p", { class: "quiet" }, answer.ledger),
  ];
}

let streaming = null;

function stream(asked, { read, state, body }) {
  // Events of one answer: reading, facts, interpreting, answer or refused.
  if (streaming) streaming.close();
  const source = new EventSource(`/api/answer?${new URLSearchParams(asked)}`);
  streaming = source;
  const on = (name, act) => source.addEventListener(name, (event) => act(JSON.parse(event.data)));
  const done = () => { source.close(); state.textContent = ""; };
  on("reading", read);
  on("facts", (answer) => body.replaceChildren(...answerShown(answer)));
  on("interpreting", (said) => { state.textContent = `What is below is counted and complete; ${said.model} is interpreting it …`; });
  on("answer", (answer) => { done(); body.replaceChildren(...answerShown(answer)); });
  on("refused", (error) => { done(); body.replaceChildren(failure({ message: [error.message, error.remedy].join(". ") })); });
  source.onerror = () => { done(); if (!body.childElementCount) body.replaceChildren(failure({ message: "The server does not answer. Is query serve still running?" })); };
}

async function viewAsk() {
  const modes = await fetched("/api/modes");
  const question = make("input", { type: "search", id: "question", size: 60 });
  const mode = choice(modes.map((one) => one.name));
  const can = make("p", { class: "quiet" });
  const examples = make("p", { class: "quiet" });
  const read = make("p", { class: "quiet", id: "reading" });
  const state = make("p", { class: "quiet", role: "status" });
  const body = make("div", { id: "answer" });
  const about = () => {
    const one = modes.find((known) => known.name === mode.value);
    can.textContent = one.can;
    const tried = one.examples.slice(0, 3).map((text) => make("button", { type: "button", class: "cite", onclick: () => ask(text) }, text));
    examples.replaceChildren("Try: ", ...tried);
  };
  function ask(text, edit = {}) {
    const focused = read.contains(document.activeElement) ? document.activeElement.id : "";
    question.value = text;
    if (!focused) read.replaceChildren();
    body.replaceChildren();
    if (!text.trim()) return;
    state.textContent = "Counting …";
    const edits = modes.find((known) => known.name === mode.value).reads;
    const showReading = (reading) => {
      const changed = (other) => ask(text, other);
      read.replaceChildren(...readingShown(reading, text, ask), ...(edits ? [editShown(reading, changed)] : []));
      if (focused) document.getElementById(focused)?.focus();
    };
    const asked = Object.fromEntries(Object.entries({ ...edit, question: text, mode: mode.value }).filter(([, value]) => value));
    stream(asked, { read: showReading, state, body });
  }
  mode.addEventListener("input", about);
  about();
  const submit = (event) => { event.preventDefault(); ask(question.value); };
  const preset = new URLSearchParams(location.search).get("question");
  if (preset) ask(preset);
  return [
    make("h2", {}, "Ask"), can,
    make("form", { class: "controls", onsubmit: submit }, labelled("Question", question), labelled("Way of asking", mode), make("button", { type: "submit" }, "Ask")),
    examples, read, state, body,
  ];
}

function resultTable(result) {
  const columns = result.columns.map((name, place) => ({ name, value: (row) => row[place], number: result.rows.some((row) => typeof row[place] === "number"), show: (row) => (typeof row[place] === "number" ? number(row[place]) : String(row[place] ?? "")) }));
  return table(columns, result.rows, { caption: "Rows" });
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

// What was asked stays when another view, or the other shade, is shown in between.
let askView, sqlView;
views.ask = async () => (askView ||= await viewAsk());
views.sql = () => (sqlView ||= viewSql());
const menu = document.querySelector("nav");
menu.prepend(make("a", { href: "#/ask" }, "Ask"));
menu.append(make("a", { href: "#/sql" }, "SQL"), make("a", { href: "/api" }, "Interface"));
