// The page of the search: Pagefind's fields and results, for the words of the address.
if (location.protocol === "file:") {
  document.getElementById("search").textContent =
    "A browser does not search in files. Serve them: python -m http.server";
} else {
  const search = new PagefindUI({
    element: "#search",
    showImages: false,
    showSubResults: true,
    autofocus: true,
    ranking: JSON.parse(document.documentElement.dataset.ranking ?? "{}"),
  });
  document.querySelector("#search input").setAttribute("aria-label", "Words to look for");
  const words = new URLSearchParams(location.search).get("q");
  if (words) search.triggerSearch(words);
}
