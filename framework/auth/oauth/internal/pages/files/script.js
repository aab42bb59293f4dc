const show = document.getElementById("show");
if (show) {
	show.closest("p").hidden = false;
	const passwords = document.querySelectorAll("input[type=password]");
	show.addEventListener("change", () => { for (const input of passwords) input.type = show.checked ? "text" : "password"; });
	show.form.addEventListener("submit", () => { for (const input of passwords) input.type = "password"; });
}
