// Draws the study from the JSON in the page. Every number shown carries its JSON pointer and value beside the text
// (data-pointer, data-value), so that a test can compare them.
"use strict";
const study = JSON.parse(document.getElementById("whatif-data").textContent);

function significant(value) {
  return Number(value.toPrecision(3)).toLocaleString("en", { maximumSignificantDigits: 3, useGrouping: false });
}
function scaled(value, units) {
  for (const [size, unit] of units) if (Math.abs(value) >= size * 0.9995) return significant(value / size) + " " + unit;
  return (value === 0 ? "0" : significant(value / units[units.length - 1][0])) + " " + units[units.length - 1][1];
}
const formats = {
  seconds: (v) => scaled(v, [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]]),
  joules: (v) => scaled(v, [[1e6, "MJ"], [1e3, "kJ"], [1, "J"], [1e-3, "mJ"]]),
  percent: (v) => (100 * v).toFixed(1) + " %",
  ratio: significant,
  count: (v) => v.toLocaleString("en"),
};
function show(pointer, format) {
  const value = pointer.split("/").slice(1).reduce((node, key) => node[key], study);
  const span = document.createElement("span");
  span.dataset.pointer = pointer;
  span.dataset.value = String(value);
  span.textContent = formats[format](value);
  return span;
}
function element(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) node.setAttribute(key, value);
  for (const child of children) node.append(child);
  return node;
}
const byId = (id) => document.getElementById(id);
const labelOf = (row) => Object.entries(row.settings).map(([path, value]) => path.split(".").slice(-2).join(".") + " = " + value).join(", ") || "as it is";

const parts = [["chain_compute_seconds", "compute", "var(--accent)"], ["chain_transfer_seconds", "transfer", "var(--transfer)"], ["chain_idle_seconds", "idle", "var(--idle)"]];

function drawHeader() {
  const program = study.program.split("/").pop() || "The tasks";
  byId("title").textContent = program + " on " + (study.cluster || "the cluster");
  document.title = byId("title").textContent + " | StreamMAP what-if";
  byId("subtitle").textContent = formats.count(study.tasks) + " tasks, mapped by " + study.strategy + " with seed " + study.seed +
    "; " + study.axes.map((axis) => axis.path + ": " + axis.values.join(", ")).join("; ") + ".";
}

function drawBars() {
  for (const [, label, colour] of parts) {
    const entry = element("span", {}, label);
    entry.style.setProperty("--colour", colour);
    byId("legend").append(entry);
  }
  const rows = study.rows.map((row, index) => ({ row, index })).filter(({ row }) => !("no_placement" in row));
  const width = 1100, line = 26, left = 330, right = 90;
  const longest = d3.max(rows, ({ row }) => row.makespan_seconds) || 1;
  const x = d3.scaleLinear().domain([0, longest]).range([0, width - left - right]);
  const svg = d3.select("#bars").append("svg").attr("viewBox", `0 0 ${width} ${rows.length * line + 30}`).attr("width", "100%").attr("role", "img")
    .attr("aria-label", "Makespan of each cluster");
  rows.forEach(({ row }, i) => {
    const group = svg.append("g").attr("transform", `translate(${left},${i * line})`);
    const label = labelOf(row);
    group.append("text").attr("x", -8).attr("y", 15).attr("text-anchor", "end").text(label.length > 52 ? label.slice(0, 50) + "…" : label)
      .append("title").text(label);
    let at = 0;
    for (const [key, , colour] of parts) {
      group.append("rect").attr("x", x(at)).attr("y", 4).attr("height", line - 10).attr("width", Math.max(0, x(row[key]))).style("fill", colour);
      at += row[key];
    }
    group.append("text").attr("x", x(row.makespan_seconds) + 6).attr("y", 15).text(formats.seconds(row.makespan_seconds) + "  ×" + formats.ratio(row.ratio));
  });
  if (!("no_placement" in study.rows[0]))
    svg.append("line").attr("x1", left + x(study.rows[0].makespan_seconds)).attr("x2", left + x(study.rows[0].makespan_seconds))
      .attr("y1", 0).attr("y2", rows.length * line).style("stroke", "var(--ink)").style("stroke-dasharray", "3 3");
  svg.append("g").attr("transform", `translate(${left},${rows.length * line})`).call(d3.axisBottom(x).ticks(6).tickFormat(formats.seconds));
}

const columns = [["Makespan", "makespan_seconds", "seconds"], ["Ratio", "ratio", "ratio"], ["Lower bound", "lower_bound_seconds", "seconds"], ["Gap", "gap", "percent"],
  ["Devices used", "devices_used", "count"], ["Devices", "devices", "count"], ["Busy", "utilisation", "percent"], ["Energy", "energy_joules", "joules"]];

function drawTable() {
  const table = byId("rows"), body = element("tbody");
  let sorted = null, ascending = true;
  const fill = () => {
    const order = study.rows.map((_, i) => i);
    if (sorted) order.sort((a, b) => (ascending ? 1 : -1) * ((study.rows[a][sorted] ?? Infinity) - (study.rows[b][sorted] ?? Infinity)) || a - b);
    body.replaceChildren(...order.map((i) => {
      const row = study.rows[i];
      const line = element("tr", {}, element("td", { class: "name" }, labelOf(row)));
      if ("no_placement" in row) {
        line.append(element("td", { colspan: columns.length + 1, class: "why" }, "no placement: " + row.no_placement));
        return line;
      }
      for (const [, key, format] of columns) line.append(element("td", { class: "number" }, show(`/rows/${i}/${key}`, format)));
      line.append(element("td", {}, row.bottleneck));
      return line;
    }));
  };
  const head = element("tr", {}, element("th", { scope: "col" }, "Cluster"));
  for (const [label, key] of columns) {
    const button = element("button", { type: "button" }, label), cell = element("th", { scope: "col", class: "number" }, button);
    button.addEventListener("click", () => {
      ascending = sorted === key ? !ascending : true;
      sorted = key;
      for (const other of head.children) other.removeAttribute("aria-sort");
      cell.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      fill();
    });
    head.append(cell);
  }
  head.append(element("th", { scope: "col" }, "Bottleneck"));
  table.append(element("thead", {}, head), body);
  fill();
}

drawHeader();
drawBars();
drawTable();
