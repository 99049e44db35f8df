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

async function evidence(key, value, community) {
  const query = new URLSearchParams({ key, value, ...(community ? { community } : {}) });
  const found = await fetched(`/api/runs?${query}`);
  const columns = ["run", "bioproject", "organism", "library_strategy", "viruses", "virus_reads"].map((name) => ({
    name: name.replace("_", " "), value: (row) => row[name], show: (row) => (typeof row[name] === "number" ? number(row[name]) : row[name] || ""), number: name === "virus_reads",
  }));
  return [
    make("p", {}, make("b", {}, `${key}: ${value}`), ` – ${number(found.total)} runs, the first ${number(found.runs.length)} shown. `,
      make("a", { href: `/api/runs?${query}&limit=10000&format=csv`, download: "runs.csv" }, "Download CSV")),
    table(columns, found.runs, { limit: 50, caption: "Runs behind the citation" }),
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

function paragraphs(text, box) {
  // Lines that begin with a dash are items of a list, others paragraphs.
  const parts = [];
  for (const line of text.split("\n").filter((one) => one.trim())) {
    const item = line.match(/^\s*[-*] (.*)$/);
    if (!item) parts.push(make("p", {}, cited(line.replace(/^#+ /, ""), null, box)));
    else {
      if (!parts.length || parts[parts.length - 1].tagName !== "UL") parts.push(make("ul"));
      parts[parts.length - 1].append(make("li", {}, cited(item[1], null, box)));
    }
  }
  return parts;
}

function readingText(reading) {
  const names = (groups) => Object.entries(groups || {}).map(([group, list]) => `${group}: ${[].concat(list).join(" or ")}`);
  const parts = [`Read as: ${reading.kind}`, ...names(reading.subjects)];
  if (reading.all_of && reading.all_of.length) parts.push(`all of ${reading.all_of.join(", ")}`);
  for (const one of names(reading.without)) parts.push(`without ${one}`);
  if (reading.compared && reading.compared.length) parts.push(`compared: ${reading.compared.join(" and ")}`);
  if (reading.limit) parts.push(`the first ${reading.limit}`);
  if (reading.not_understood && reading.not_understood.length) parts.push(`not understood: ${reading.not_understood.join(", ")}`);
  return parts.join(" · ");
}

async function viewAsk() {
  const modes = await fetched("/api/modes");
  const question = make("input", { type: "search", id: "question", placeholder: modes[0].examples[0], size: 60 });
  const mode = choice(modes.map((one) => one.name));
  const can = make("p", { class: "quiet" });
  const about = () => { const one = modes.find((known) => known.name === mode.value); can.textContent = one.can; question.placeholder = one.examples[0] || ""; };
  mode.addEventListener("input", about);
  about();
  const out = make("div", { "aria-live": "polite", id: "answer" });
  async function submit(event) {
    event.preventDefault();
    const asked = question.value.trim() || question.placeholder;
    question.value = asked;
    out.replaceChildren(make("p", { class: "quiet" }, "Counting …"));
    const read = make("p", { class: "quiet" });
    fetched(`/api/read?${new URLSearchParams({ question: asked })}`).then((reading) => { read.textContent = `${readingText(reading)}. Change the words above to change it.`; }, () => {});
    try {
      const answer = await fetched("/api/ask", { question: asked, mode: mode.value });
      const box = make("div", { class: "runs", hidden: "", "aria-live": "polite" });
      const rows = answer.table ? [resultTable(answer.table)] : [];
      const steps = answer.steps && answer.steps.length ? [make("h3", {}, "Steps"), ...answer.steps.map((step) => make("pre", {}, step))] : [];
      out.replaceChildren(read, ...paragraphs(answer.answer, box), box, ...rows, ...steps);
    } catch (error) { out.replaceChildren(read, failure(error)); }
  }
  const preset = new URLSearchParams(location.search).get("question");
  if (preset) {
    question.value = preset;
    submit(new Event("submit"));
  }
  return [make("h2", {}, "Ask"), can,
    make("form", { class: "controls", onsubmit: submit }, labelled("Question", question), labelled("Way of asking", mode), make("button", { type: "submit" }, "Ask")), out];
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

views.ask = viewAsk;
views.sql = viewSql;
const menu = document.querySelector("nav");
menu.prepend(make("a", { href: "#/ask" }, "Ask"));
menu.append(make("a", { href: "#/sql" }, "SQL"), make("a", { href: "/api" }, "Interface"));
