#!/usr/bin/env python3
"""Opens the sample pages in headless Chromium and compares every number on them with the report's JSON.

    check_page.py TEST_EXECUTABLE FOLDER

Exits 77 (skipped) where there is no Chromium, saying so.
"""
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys


class Numbers(html.parser.HTMLParser):
    """Collects every element that shows a number: (JSON pointer, value as text), and all visible text."""

    def __init__(self):
        super().__init__()
        self.shown = []
        self.text = []
        self.silent = 0

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.silent += tag in ("script", "style")
        if "data-pointer" in attributes:
            self.shown.append((attributes["data-pointer"], attributes["data-value"]))

    def handle_endtag(self, tag):
        self.silent -= tag in ("script", "style")

    def handle_data(self, data):
        if not self.silent:
            self.text.append(data)


def value_at(report, pointer):
    node = report
    for key in pointer.split("/")[1:]:
        node = node[int(key)] if isinstance(node, list) else node[key]
    return node


def rendered(chromium, page, profile):
    command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
               f"--user-data-dir={profile}", "--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=5000",
               "--dump-dom", page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


def problems_of(chromium, folder, name):
    """What is wrong with the page NAME.html, and how many numbers it shows."""
    source = (folder / f"{name}.html").read_text()
    report = json.loads((folder / f"{name}.json").read_text())
    problems = []

    urls = set(re.findall(r"https?://[^\"'\s)<]+", source)) - {
        "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml", "http://www.w3.org/1999/xlink",
        "http://www.w3.org/XML/1998/namespace", "http://www.w3.org/2000/xmlns/"}
    urls = {url for url in urls if "d3js.org" not in url}  # d3's licence comment names its home
    if urls or re.search(r"<(script|link|img|iframe)[^>]+(src|href)=", source):
        problems.append(f"the page refers to something outside itself: {sorted(urls)}")

    dom = rendered(chromium, folder / f"{name}.html", folder / "profile")
    if 'data-ready="yes"' not in dom:
        problems.append("the page's script did not finish")
    page = Numbers()
    page.feed(dom)
    for pointer, value in page.shown:
        expected = value_at(report, pointer)
        if float(value) != float(expected):
            problems.append(f"{pointer}: the page shows {value}, the JSON has {expected}")
    shown = {pointer for pointer, _ in page.shown}
    wanted = ["/summary/makespan_seconds", "/summary/lower_bound_seconds", "/summary/gap", "/summary/moved_bytes",
              "/summary/assumed_share", "/summary/assumed_tasks"]
    for rows, keys in (("chain", ["start_seconds", "duration_seconds"]), ("nodes", ["utilisation", "sent_bytes"]),
                       ("links", ["utilisation", "bytes", "busy_seconds"]), ("devices", ["peak_memory_bytes"]),
                       ("tasks", ["start_seconds", "duration_seconds", "device_memory_bytes"]),
                       ("classes", ["tasks", "total_seconds", "share"])):
        wanted += [f"/{rows}/{i}/{key}" for i in range(len(report[rows])) for key in keys]
    for i, row in enumerate(report["classes"]):
        wanted += [f"/classes/{i}/{key}" for key in ("measured_seconds", "measured_ratio") if key in row]
    if "measured_makespan_seconds" in report["summary"]:
        wanted.append("/summary/measured_makespan_seconds")
    problems += [f"{pointer} is nowhere on the page" for pointer in wanted if pointer not in shown]
    text = " ".join(page.text)
    problems += [f"task {task['name']} is not on the page" for task in report["tasks"] if task["name"] not in text]
    problems += [f"missing warning: {w['message']}" for w in report["warnings"] if w["message"] not in text]
    if ("measured_on" in report["summary"]) != ("Measured on CPU cores" in text):
        problems.append("what the run was measured on is not said where, or only where, there is one")
    return [f"{name}.html: {problem}" for problem in problems], len(page.shown)


def main():
    test, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not chromium:
        print("skipped: no Chromium here (apt-get install chromium)")
        return 77
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([test, "write the sample page"], env={**os.environ, "STREAMMAP_PAGE_FOLDER": str(folder)},
                   check=True, stdout=subprocess.DEVNULL)
    problems, shown = [], 0
    for name in ("sample", "measured"):
        found, numbers = problems_of(chromium, folder, name)
        problems += found
        shown += numbers
    for problem in problems:
        print(problem)
    print(f"{shown} numbers on two pages, {len(problems)} problems")
    return 1 if problems or not shown else 0


if __name__ == "__main__":
    sys.exit(main())
