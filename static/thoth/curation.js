// A table of pairs grows by a row, and a page that waits looks again; all else works without scripts.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-add-row]");
  if (!button) return;
  const body = button.parentElement.querySelector("[data-pairs] tbody");
  const row = body.lastElementChild.cloneNode(true);
  row.querySelectorAll("input").forEach((input) => { input.value = ""; });
  body.append(row);
  row.querySelector("input").focus();
});

if (document.querySelector("[data-look-again]")) setTimeout(() => window.location.reload(), 2000);
