"use strict";
// Light or dark: as the system has it, until the reader says otherwise. Kept only where the browser lets a file keep things.
const root = document.documentElement;
root.classList.add("scripted");
const one = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

function remembered(theme) {
  try {
    if (theme) localStorage.setItem("rewardgate-theme", theme);
    return localStorage.getItem("rewardgate-theme");
  } catch {
    return null;
  }
}

function switchTheme() {
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  remembered(root.dataset.theme);
}

const theme = remembered();
if (theme === "light" || theme === "dark") root.dataset.theme = theme;
