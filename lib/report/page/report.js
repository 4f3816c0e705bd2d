// Draws the report from the JSON in the page. Every number shown is one value of that JSON: show() records which
// one (data-pointer, a JSON pointer) and its value (data-value) beside the text, so a test can compare them.
"use strict";
const report = unpacked(JSON.parse(document.getElementById("report-data").textContent));

/// The page's JSON holds long lists of objects by column (lib/report/PackJson.h); this makes them lists again.
function unpacked(json) {
  if (json === null || typeof json !== "object") return json;
  if (Array.isArray(json)) return json.map(unpacked);
  if (!("#rows" in json)) return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, unpacked(value)]));
  const rows = Array.from({ length: json["#rows"] }, () => ({}));
  for (const [key, column] of Object.entries(json["#columns"])) {
    const values = (column.each || column.of).map(unpacked);
    rows.forEach((row, i) => {
      const value = column.each ? values[i] : values[column.at ? column.at[i] : 0];
      if (value !== null) row[key] = value;
    });
  }
  return rows;
}

// ---- numbers as text -------------------------------------------------------------------------------------------

function significant(value) {
  if (Math.abs(value) >= 999999.5) return value.toExponential(2); // no larger unit left: the power of ten says the rest
  return Number(value.toPrecision(3)).toLocaleString("en", { maximumFractionDigits: 12, maximumSignificantDigits: 3, useGrouping: false });
}
function scaled(value, units) {
  if (value === 0) return "0 " + units[units.length - 1][1];
  for (const [size, unit] of units) if (Math.abs(value) >= size * 0.9995) return significant(value / size) + " " + unit;
  const [size, unit] = units[units.length - 1];
  return significant(value / size) + " " + unit;
}
const formats = {
  seconds: (v) => scaled(v, [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]]),
  bytes: (v) => scaled(v, [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]]),
  flops: (v) => scaled(v, [[1e15, "PFLOP"], [1e12, "TFLOP"], [1e9, "GFLOP"], [1e6, "MFLOP"], [1e3, "kFLOP"], [1, "FLOP"]]),
  percent: (v) => (100 * v).toFixed(1) + " %",
  count: (v) => v.toLocaleString("en"),
  ratio: (v) => significant(v),
};
function at(pointer) {
  return pointer.split("/").slice(1).reduce((node, key) => node[key], report);
}
function show(pointer, format) {
  const value = at(pointer);
  const span = document.createElement("span");
  span.dataset.pointer = pointer;
  span.dataset.value = String(value);
  span.textContent = formats[format](value);
  return span;
}

// ---- small pieces ----------------------------------------------------------------------------------------------

function element(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) node.setAttribute(key, value);
  for (const child of children) if (child !== null && child !== undefined) node.append(child);
  return node;
}
const byId = (id) => document.getElementById(id);
const plural = (n, word) => formats.count(n) + " " + word + (n === 1 ? "" : "s");
function bar(share) {
  const fill = element("i");
  fill.style.width = Math.min(100, 100 * share) + "%";
  return element("span", { class: "bar", "aria-hidden": "true" }, fill);
}
function headRow(columns) {
  return element("thead", {}, element("tr", {}, ...columns.map(([text, kind]) => element("th", { scope: "col", class: kind || "" }, text))));
}
function cell(kind, ...content) {
  return element("td", { class: kind }, ...content);
}

// Distinguishable for the colour-blind: Okabe and Ito, "Color Universal Design" (2008), without black and yellow.
const palette = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#7a6fac", "#8a8a8a"];
const colourOf = new Map(report.classes.map((c, i) => [c.name, palette[Math.min(i, palette.length - 1)]]));

// ---- sections --------------------------------------------------------------------------------------------------

function drawHeader() {
  const sources = report.program.sources.map((path) => path.split("/").pop());
  byId("title").textContent = (sources.join(", ") || "Task graph") + " on " + (report.cluster.name || "the cluster");
  document.title = byId("title").textContent + " | StreamMAP";
  const given = [...report.program.arguments, ...Object.entries(report.program.parameters).map(([k, v]) => k + " = " + v)];
  byId("subtitle").textContent =
    "Strategy " + report.solver.strategy + ", seed " + report.solver.seed + (given.length ? "; arguments: " + given.join(" ") : "") +
    "; cluster of " + plural(report.cluster.nodes, "node") + ", " + plural(report.cluster.devices, "device") +
    (report.cluster.unavailable_devices ? ", " + report.cluster.unavailable_devices + " unavailable" : "") + ".";
}

function drawHeadline() {
  const s = report.summary;
  const tile = (label, value, ...note) =>
    element("div", {}, element("dt", {}, label), element("dd", {}, value, note.length ? element("small", {}, ...note) : null));
  const tiles = [
    tile("Predicted makespan", show("/summary/makespan_seconds", "seconds")),
    tile("Lower bound", show("/summary/lower_bound_seconds", "seconds"), "by " + s.bound_by),
    tile("Gap to the bound", show("/summary/gap", "percent"), s.optimal ? "proved optimal" : "above the best possible, at most"),
    tile("Tasks", show("/summary/tasks", "count"), show("/summary/dependencies", "count"), " dependencies"),
    tile("Devices in use", show("/summary/devices_used", "count"), "on ", show("/summary/nodes_used", "count"),
      s.nodes_used === 1 ? " node, " : " nodes, ", show("/summary/utilisation", "percent"), " busy"),
    tile("Data moved", show("/summary/moved_bytes", "bytes"), show("/summary/transfers", "count"),
      s.transfers === 1 ? " transfer" : " transfers"),
  ];
  if ("measured_makespan_seconds" in s)
    tiles.splice(1, 0, tile("Measured makespan", show("/summary/measured_makespan_seconds", "seconds"), s.measured_on ? "on " + s.measured_on : ""));
  byId("headline").append(...tiles);
  if (s.assumed_tasks) {
    const one = s.assumed_tasks === 1;
    byId("assumed").append(element("strong", {}, show("/summary/assumed_share", "percent"), " of the busy time is assumed"), ": ",
      show("/summary/assumed_tasks", "count"), one ? " task says nothing of its work and is taken to run " : " tasks say nothing of their work and are taken to run ",
      "assumed_seconds_each" in s ? show("/summary/assumed_seconds_each", "seconds") : show("/summary/assumed_seconds", "seconds"),
      "assumed_seconds_each" in s ? (one ? "" : " each") : " together", "; see ", element("a", { href: "#to-know" }, "To know"), ".");
    byId("assumed").hidden = false;
  }
}

function drawChain() {
  const parts = [["compute_seconds", "compute", "var(--accent)"], ["transfer_seconds", "transfer", "var(--transfer)"], ["idle_seconds", "idle", "var(--idle)"]];
  const total = d3.sum(parts, (p) => report.chain_shares[p[0]]) || 1;
  const strip = element("div", { class: "shares", "aria-hidden": "true" });
  const legend = element("div", { class: "legend" });
  for (const [key, label, colour] of parts) {
    const piece = element("i");
    piece.style.width = (100 * report.chain_shares[key]) / total + "%";
    piece.style.background = colour;
    strip.append(piece);
    const entry = element("span", {}, label + " ", show("/chain_shares/" + key, "seconds"));
    entry.style.setProperty("--colour", colour);
    legend.append(entry);
  }
  byId("chain-shares").append(strip, legend);

  const table = byId("chain");
  table.append(headRow([["Start", "number"], ["Takes", "number"], ["Step"], ["Where"], ["Why not earlier"]]));
  const body = element("tbody");
  const row = (i) => {
    const step = report.chain[i];
    const colour = step.kind === "task" ? "var(--accent)" : step.kind === "transfer" ? "var(--transfer)" : "var(--idle)";
    const name = element("span", { class: "key" }, step.kind === "transfer" ? (step.transfers > 1 ? step.transfers + " transfers of " : "transfer of ") + step.what : step.kind === "idle" ? "idle" : step.what);
    name.style.setProperty("--colour", colour);
    return element("tr", {}, cell("number", show(`/chain/${i}/start_seconds`, "seconds")), cell("number", show(`/chain/${i}/duration_seconds`, "seconds")),
      cell("name", name), cell("place", step.where), cell("why", step.why));
  };
  const n = report.chain.length;
  const few = 14;
  const fill = (all) => {
    body.replaceChildren();
    for (let i = 0; i < n; ++i) {
      if (!all && n > few && i === few / 2) {
        const button = element("button", { type: "button" }, `Show all ${n} steps`);
        button.addEventListener("click", () => fill(true));
        body.append(element("tr", {}, element("td", { colspan: 5 }, button)));
        i = n - few / 2;
      }
      body.append(row(i));
    }
  };
  fill(false);
  table.append(body);
}

function drawLegend() {
  const shown = report.classes.slice(0, palette.length - 1);
  for (const taskClass of shown) {
    const i = report.classes.indexOf(taskClass);
    const entry = element("span", {}, taskClass.name + " ", show(`/classes/${i}/tasks`, "count"), ", ", show(`/classes/${i}/share`, "percent"));
    entry.style.setProperty("--colour", colourOf.get(taskClass.name));
    byId("legend").append(entry);
  }
  if (report.classes.length > shown.length) {
    const entry = element("span", {}, plural(report.classes.length - shown.length, "other kind"));
    entry.style.setProperty("--colour", palette[palette.length - 1]);
    byId("legend").append(entry);
  }
}

/// What a timeline shows: its rows, where and when each task ran, and which of its numbers to name.
const predictedRun = {
  devices: report.devices, end: report.summary.makespan_seconds, device: (t) => t.device,
  start: (t) => t.start_seconds, stop: (t) => t.end_seconds, keys: ["start_seconds", "duration_seconds"],
};
function measuredRun() {
  const natural = new Intl.Collator("en", { numeric: true });
  const names = [...new Set(report.tasks.filter((t) => "measured_seconds" in t).map((t) => t.measured_on))].sort(natural.compare);
  return {
    devices: names.map((name) => ({ name, node: name.slice(0, Math.max(0, name.lastIndexOf(":"))) })), end: report.summary.measured_makespan_seconds,
    device: (t) => t.measured_on, start: (t) => t.measured_start_seconds, stop: (t) => t.measured_start_seconds + t.measured_seconds,
    keys: ["measured_start_seconds", "measured_seconds"],
  };
}

/// `end` is the time at the right edge, so that two timelines can share a scale.
function drawTimeline(holder, run, end) {
  const devices = run.devices;
  const rowOf = new Map(devices.map((d, i) => [d.name, i]));
  const rows = devices.map(() => []);
  report.tasks.forEach((task, i) => { if (rowOf.has(run.device(task))) rows[rowOf.get(run.device(task))].push(i); });
  for (const row of rows) row.sort((a, b) => run.start(report.tasks[a]) - run.start(report.tasks[b]));

  const rowHeight = Math.max(3, Math.min(26, Math.floor(1200 / Math.max(1, devices.length))));
  const margin = { left: holder.clientWidth < 600 ? 84 : 132, right: 16, top: 8, bottom: 26 };
  const height = margin.top + rowHeight * devices.length + margin.bottom;
  const makespan = end || 1e-9;
  const canvas = element("canvas", { role: "img", "aria-label": "Timeline of every device; the task table below holds the same data" });
  holder.append(canvas);
  const svg = d3.select(holder).append("svg").attr("height", height);
  const labels = svg.append("g");
  const axis = svg.append("g").attr("transform", `translate(0,${height - margin.bottom})`);
  let width = 0, base = null, scale = null;

  function paint() {
    const context = canvas.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    context.clearRect(0, 0, width, height);
    context.save();
    context.beginPath();
    context.rect(margin.left, 0, width - margin.left - margin.right, height - margin.bottom);
    context.clip();
    const gap = rowHeight > 6 ? 2 : rowHeight > 3 ? 1 : 0;
    rows.forEach((row, r) => {
      const y = margin.top + r * rowHeight;
      context.fillStyle = style.getPropertyValue("--soft");
      context.fillRect(margin.left, y, width - margin.left - margin.right, rowHeight - gap);
      for (const i of row) {
        const task = report.tasks[i];
        const x0 = scale(run.start(task)), x1 = scale(run.stop(task));
        if (x1 < margin.left || x0 > width - margin.right) continue;
        context.fillStyle = colourOf.get(task.class);
        context.fillRect(x0, y, Math.max(0.6, x1 - x0 - (x1 - x0 > 4 ? 1 : 0)), rowHeight - gap);
        if (x1 - x0 > 60 && rowHeight >= 16) {
          context.fillStyle = "#fff";
          context.font = "11px system-ui, sans-serif";
          context.save();
          context.beginPath();
          context.rect(x0, y, x1 - x0 - 4, rowHeight);
          context.clip();
          context.fillText(task.name, x0 + 4, y + rowHeight / 2 + 3);
          context.restore();
        }
      }
    });
    context.restore();
    axis.call(d3.axisBottom(scale).ticks(Math.max(2, width / 160)).tickFormat((v) => formats.seconds(v)));
  }
  function layout() {
    width = holder.clientWidth;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
    canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
    svg.attr("width", width);
    base = d3.scaleLinear().domain([0, makespan]).range([margin.left, width - margin.right]);
    scale = base.copy();
    labels.selectAll("*").remove();
    const every = rowHeight >= 11;
    let lastNode = null;
    devices.forEach((device, r) => {
      if (!every && device.node === lastNode) return;
      if (!every && lastNode !== null && r * rowHeight - labels.attr("data-last") < 11) return;
      lastNode = device.node;
      labels.attr("data-last", r * rowHeight);
      labels.append("text").attr("x", margin.left - 8).attr("y", margin.top + r * rowHeight + Math.min(rowHeight, 14) - 3)
        .attr("text-anchor", "end").text(every ? device.name : device.node);
    });
    paint();
  }
  const zoom = d3.zoom().scaleExtent([1, 20000]).on("zoom", () => {
    const t = d3.event.transform;
    scale = base.copy().domain([base.invert((margin.left - t.x) / t.k), base.invert((width - margin.right - t.x) / t.k)]);
    paint();
  });
  d3.select(canvas).call(zoom).on("dblclick.zoom", () => d3.select(canvas).call(zoom.transform, d3.zoomIdentity));
  const tip = byId("tip");
  canvas.addEventListener("mousemove", (event) => {
    const box = canvas.getBoundingClientRect();
    const r = Math.floor((event.clientY - box.top - margin.top) / rowHeight);
    const time = scale.invert(event.clientX - box.left);
    const found = rows[r] && rows[r].find((i) => run.start(report.tasks[i]) <= time && time <= run.stop(report.tasks[i]));
    tip.hidden = found === undefined;
    if (found === undefined) return;
    const p = `/tasks/${found}/`;
    tip.replaceChildren(element("strong", {}, report.tasks[found].name), " on " + run.device(report.tasks[found]), element("br"),
      "starts at ", show(p + run.keys[0], "seconds"), ", takes ", show(p + run.keys[1], "seconds"),
      element("br"), "estimate: " + report.tasks[found].origin + (report.tasks[found].limiter ? ", limited by " + report.tasks[found].limiter : ""),
      ...("low_seconds" in report.tasks[found] ? [element("br"), "between ", show(p + "low_seconds", "seconds"), " and ", show(p + "high_seconds", "seconds")] : []),
      element("br"), report.tasks[found].location);
    tip.style.left = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8) + "px";
    tip.style.top = event.clientY + 14 + "px";
  });
  canvas.addEventListener("mouseleave", () => (tip.hidden = true));
  window.addEventListener("resize", layout);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  layout();
}

/// The run that was predicted and, where there is one, that which was measured, on one scale of time.
function drawTimelines() {
  const measured = "measured_makespan_seconds" in report.summary ? measuredRun() : null;
  const end = Math.max(predictedRun.end, measured ? measured.end : 0);
  byId("timeline-heading").hidden = !measured;
  drawTimeline(byId("timeline"), predictedRun, end);
  if (!measured) return;
  byId("measured-heading").hidden = byId("timeline-measured").hidden = false;
  byId("measured-heading").textContent = "Measured" + (report.summary.measured_on ? " on " + report.summary.measured_on : "");
  drawTimeline(byId("timeline-measured"), measured, end);
}

function drawKinds() {
  const measured = report.classes.some((c) => "measured_tasks" in c);
  const columns = [["Kind"], ["Tasks", "number"], ["Predicted", "number"], ["Share"], ["Limited by"]];
  const partly = report.classes.some((c) => "measured_tasks" in c && c.measured_tasks !== c.tasks);
  if (measured && partly) columns.push(["Tasks measured", "number"], ["Predicted for these", "number"]);
  if (measured) columns.push(["Measured", "number"], ["Measured / predicted", "number"]);
  if (measured)
    byId("kinds-note").textContent = report.summary.measured_on === "CPU cores"
      ? "Measured on CPU cores, predicted for the devices below: the ratios say nothing of the estimates."
      : "Predicted against measured" + (report.summary.measured_on ? " on " + report.summary.measured_on : "") + ".";
  growingTable(byId("kinds"), columns, report.classes.length, 12, (i) => {
    const p = `/classes/${i}/`, kind = report.classes[i];
    const name = element("span", { class: "key" }, kind.name);
    name.style.setProperty("--colour", colourOf.get(kind.name));
    const limiters = kind.limiters.map((l) => (l === "default" ? "assumed time" : l)).join(", ") || "unknown";
    const cells = [cell("name", name), cell("number", show(p + "tasks", "count")), cell("number", show(p + "total_seconds", "seconds")),
      cell("share", bar(kind.share), show(p + "share", "percent")), cell("place", limiters)];
    const figure = (key, format) => cell("number", key in kind ? show(p + key, format) : "");
    if (measured && partly) cells.push(figure("measured_tasks", "count"), figure("predicted_of_measured_seconds", "seconds"));
    if (measured) cells.push(figure("measured_seconds", "seconds"), figure("measured_ratio", "ratio"));
    return element("tr", {}, ...cells);
  });
}

/// A table of the first `few` rows, with a button for the rest.
function growingTable(table, columns, count, few, row) {
  table.append(headRow(columns));
  const body = element("tbody");
  table.append(body);
  const fill = (end) => {
    body.replaceChildren();
    for (let i = 0; i < end; ++i) body.append(row(i));
    if (end < count) {
      const button = element("button", { type: "button" }, `Show all ${formats.count(count)}`);
      button.addEventListener("click", () => fill(count));
      body.append(element("tr", {}, element("td", { colspan: columns.length }, button)));
    }
  };
  fill(Math.min(few, count));
}

function drawNodes() {
  growingTable(byId("nodes"),
    [["Node"], ["Type"], ["Leaf"], ["Devices used", "number"], ["Tasks", "number"], ["Busy"], ["Sent", "number"], ["Received", "number"]],
    report.nodes.length, 20, (i) => {
      const p = `/nodes/${i}/`, node = report.nodes[i];
      return element("tr", {}, cell("name", node.name), cell("place", node.type), cell("place", node.leaf),
        cell("number", show(p + "devices_used", "count"), " of ", show(p + "devices", "count")), cell("number", show(p + "tasks", "count")),
        cell("share", bar(node.utilisation), show(p + "utilisation", "percent")), cell("number", show(p + "sent_bytes", "bytes")),
        cell("number", show(p + "received_bytes", "bytes")));
    });
}

function drawLinks() {
  byId("links-note").textContent = report.links.length
    ? "Busy is the share of the makespan in which the link carries something; the busiest first."
    : "Nothing was moved over a described link.";
  if (report.links.length)
    growingTable(byId("links"), [["Link"], ["Busy"], ["Carried", "number"], ["For", "number"]], report.links.length, 16, (i) => {
      const p = `/links/${i}/`;
      return element("tr", {}, cell("name", report.links[i].name), cell("share", bar(report.links[i].utilisation), show(p + "utilisation", "percent")),
        cell("number", show(p + "bytes", "bytes")), cell("number", show(p + "busy_seconds", "seconds")));
    });
}

function drawMemory() {
  const few = 12;
  const order = d3.range(report.devices.length).sort((a, b) => report.devices[b].peak_memory_bytes - report.devices[a].peak_memory_bytes || a - b);
  byId("memory-note").textContent = "The running task's memory and the data kept for later tasks, on each device" +
    (order.length > few ? `; the ${few} of ${formats.count(order.length)} devices with the highest peaks.` : ".");
  for (const i of order.slice(0, few)) {
    const device = report.devices[i];
    const p = `/devices/${i}/`;
    const caption = element("figcaption", {}, element("strong", {}, device.name), " peak ", show(p + "peak_memory_bytes", "bytes"),
      device.memory_bytes ? " of " : "", device.memory_bytes ? show(p + "memory_bytes", "bytes") : "");
    const figure = element("figure", {}, caption);
    byId("memory").append(figure);
    const width = 260, height = 64;
    const x = d3.scaleLinear().domain([0, report.summary.makespan_seconds || 1]).range([0, width]);
    const y = d3.scaleLinear().domain([0, device.peak_memory_bytes || 1]).range([height - 1, 2]);
    const points = [[0, 0], ...device.memory_over_time, [report.summary.makespan_seconds, 0]];
    const svg = d3.select(figure).append("svg").attr("viewBox", `0 0 ${width} ${height + 2}`).attr("width", "100%").attr("role", "img")
      .attr("aria-label", "memory of " + device.name + " over time");
    svg.append("path").attr("d", d3.area().curve(d3.curveStepAfter).x((d) => x(d[0])).y0(height).y1((d) => y(d[1]))(points));
    svg.append("line").attr("x1", 0).attr("x2", width).attr("y1", height).attr("y2", height).attr("stroke", "var(--quiet)");
  }
}

function drawTasks() {
  const hasMeasured = report.tasks.some((task) => "measured_seconds" in task);
  const columns = [["Task", "name", ""], ["Device", "device", ""], ["Start", "start_seconds", "number"], ["Takes", "duration_seconds", "number"]];
  if (hasMeasured) columns.push(["Measured", "measured_seconds", "number"]);
  columns.push(["Origin", "origin", ""], ["Limited by", "limiter", ""], ["Work", "flops", "number"], ["Memory traffic", "dram_bytes", "number"],
    ["Holds", "device_memory_bytes", "number"], ["Source", "location", ""]);
  const table = byId("tasks");
  const pageSize = 50;
  let order = d3.range(report.tasks.length), page = 0, sortKey = null, descending = false;

  const heads = columns.map(([text, key, kind]) => {
    const button = element("button", { type: "button" }, text);
    const head = element("th", { scope: "col", class: kind }, button);
    button.addEventListener("click", () => {
      descending = sortKey === key && !descending;
      sortKey = key;
      heads.forEach((h) => h.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      refresh();
    });
    return head;
  });
  const body = element("tbody");
  table.append(element("thead", {}, element("tr", {}, ...heads)), body);

  function row(i) {
    const p = `/tasks/${i}/`, task = report.tasks[i];
    const name = element("span", { class: "key", title: task.launch }, task.name);
    name.style.setProperty("--colour", colourOf.get(task.class));
    const cells = [cell("name", name), cell("place", task.device), cell("number", show(p + "start_seconds", "seconds")), cell("number", show(p + "duration_seconds", "seconds"))];
    if (hasMeasured) cells.push(cell("number", "measured_seconds" in task ? show(p + "measured_seconds", "seconds") : ""));
    cells.push(cell("", task.origin), cell("place", task.limiter), cell("number", task.flops ? show(p + "flops", "flops") : ""),
      cell("number", task.dram_bytes ? show(p + "dram_bytes", "bytes") : ""), cell("number", show(p + "device_memory_bytes", "bytes")), cell("place", task.location));
    return element("tr", {}, ...cells);
  }
  function fill() {
    const pages = Math.max(1, Math.ceil(order.length / pageSize));
    page = Math.min(page, pages - 1);
    body.replaceChildren(...order.slice(page * pageSize, (page + 1) * pageSize).map(row));
    byId("task-count").textContent = plural(order.length, "task") + (pages > 1 ? `, page ${page + 1} of ${pages}` : "");
    byId("task-previous").disabled = page === 0;
    byId("task-next").disabled = page === pages - 1;
  }
  function refresh() {
    const wanted = byId("task-search").value.trim().toLowerCase();
    order = d3.range(report.tasks.length).filter((i) => {
      const task = report.tasks[i];
      return !wanted || (task.name + " " + task.device + " " + task.location).toLowerCase().includes(wanted);
    });
    if (sortKey !== null)
      order.sort((a, b) => {
        const x = report.tasks[a][sortKey], y = report.tasks[b][sortKey];
        return ((x > y) - (x < y)) * (descending ? -1 : 1) || a - b;
      });
    page = 0;
    fill();
  }
  byId("task-search").addEventListener("input", refresh);
  byId("task-previous").addEventListener("click", () => { page -= 1; fill(); });
  byId("task-next").addEventListener("click", () => { page += 1; fill(); });
  fill();
}

function drawWarnings() {
  if (!report.warnings.length) {
    byId("warnings").append(element("li", {}, "Nothing: no default, no unknown, nothing taken as free."));
    return;
  }
  for (const warning of report.warnings)
    byId("warnings").append(element("li", {}, warning.message, warning.location ? " " : "", warning.location ? element("code", {}, warning.location) : "",
      warning.remedy ? "; " + warning.remedy : ""));
}

drawHeader();
drawHeadline();
drawChain();
drawLegend();
drawKinds();
drawTimelines();
drawNodes();
drawLinks();
drawMemory();
drawTasks();
drawWarnings();
document.documentElement.dataset.ready = "yes";
