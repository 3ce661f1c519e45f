// The search of an archive. It loads the scripts of the index that a query needs; see
// transfer/html_archive/search_index.py for their format.
"use strict";

const archiveSearch = { words: {}, pages: {} }; // and pluralForm, which follows at the end

(() => {
  const PAGES_PER_FILE = 1000;
  const MAX_RESULTS = 100;
  const UNSPACED = /[\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3041-\u30fa\u30fc-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7ff\uf900-\ufaff]+/gu;

  const form = document.getElementById("search");
  if (!form) return;
  const field = form.querySelector("input");
  const output = document.getElementById("found");
  const loading = new Map();

  function load(name) {
    if (!loading.has(name)) {
      loading.set(name, new Promise((resolve) => {
        const script = document.createElement("script");
        script.src = `${form.dataset.index}${name}.js`;
        script.onload = resolve;
        script.onerror = resolve; // no page has such a word
        document.head.append(script);
      }));
    }
    return loading.get(name);
  }

  function fold(text) {
    return text.normalize("NFKC").toLowerCase().normalize("NFD").replace(/[\u0300-\u036f]/g, "").normalize("NFC");
  }

  // The words of a query, and whether each must match whole: pairs of letters in scripts without spaces do.
  function wordsOf(query) {
    const words = [];
    const rest = fold(query).replace(UNSPACED, (run) => {
      const letters = [...run];
      if (letters.length === 1) words.push({ word: run, isWhole: false });
      for (let at = 0; at + 1 < letters.length; at += 1) words.push({ word: letters[at] + letters[at + 1], isWhole: true });
      return " ";
    });
    for (const word of rest.match(/[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}\p{N}]+)*/gu) ?? []) words.push({ word, isWhole: false });
    return words;
  }

  async function pagesWith({ word, isWhole }) {
    const shard = [...word].slice(0, 2).map((letter) => letter.codePointAt(0).toString(16)).join("-");
    await load(shard);
    const known = archiveSearch.words[shard] ?? {};
    const found = new Set();
    for (const [each, pages] of Object.entries(known)) {
      if (isWhole ? each === word : each.startsWith(word)) pages.forEach((page) => found.add(page));
    }
    return found;
  }

  async function search(query) {
    const words = wordsOf(query);
    if (!words.length) return null;
    const sets = await Promise.all(words.map(pagesWith));
    const pages = [...sets[0]].filter((page) => sets.every((set) => set.has(page)));
    return pages.sort((a, b) => b - a);
  }

  function show(links, summary) {
    output.replaceChildren();
    const line = document.createElement("p");
    line.className = "meta";
    line.setAttribute("role", "status");
    line.textContent = summary;
    const list = document.createElement("ul");
    list.className = "plain";
    for (const [path, title] of links) {
      const link = document.createElement("a");
      link.href = form.dataset.root + path;
      link.className = "item";
      link.textContent = title;
      const row = document.createElement("li");
      row.append(link);
      list.append(row);
    }
    output.append(line, list);
  }

  async function run() {
    const found = await search(field.value);
    if (found === null) return output.replaceChildren();
    const shown = found.slice(0, MAX_RESULTS);
    const files = new Set(shown.map((page) => Math.floor(page / PAGES_PER_FILE)));
    await Promise.all([...files].map((file) => load(`pages-${file}`)));
    const links = shown.map((page) => archiveSearch.pages[Math.floor(page / PAGES_PER_FILE)][page % PAGES_PER_FILE]);
    const { lang } = document.documentElement;
    const forms = JSON.parse(form.dataset.found);
    const text = forms[archiveSearch.pluralForm(found.length)];
    return show(links, text.replace("{count}", new Intl.NumberFormat(lang).format(found.length)));
  }

  form.addEventListener("submit", (event) => { event.preventDefault(); void run(); });
})();
