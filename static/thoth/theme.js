// Before the first paint: the chosen theme, else the system's.
"use strict";
try {
  const theme = localStorage.getItem("thoth-theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch { /* storage can be switched off; then the system's theme stays */ }
