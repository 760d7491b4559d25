library(discreet)

if (nzchar(Sys.which("discreet"))) {
  setwd(tempdir())
  write.csv(data.frame(ward = rep(c("a", "b"), c(120, 80))), "people.csv", row.names = FALSE)
  writeLines(c(
    "[data]", 'source = "people.csv"', 'unit = "row"', "[keys]", 'ward = ["a", "b"]',
    "[spend]", 'rho = "1/50"', "[[ask]]", 'statistic = "count"', 'by = "ward"'
  ), "people.toml")

  plan <- dp_plan("people.toml")
  stopifnot(plan$command == "plan", plan$loss$rho == "1/50")
  rehearsed <- dp_rehearse("people.toml")
  stopifnot(rehearsed$release$kind == "rehearsal")
  dp_command("ledger", "init", "people.ledger", "--rho", "1/40")
  made <- dp_release("people.toml", ledger = "people.ledger", out = "people.release")
  counts <- dp_table(made)
  stopifnot(identical(names(counts), c("ward", "value", "low", "high")), counts$ward == c("a", "b"))
  stopifnot(counts$low <= counts$value, counts$value <= counts$high)
  stopifnot(identical(dp_table("people.release", "count by ward"), counts))
  stopifnot(length(dp_verify("people.release", ledger = "people.ledger")$checks) > 4)

  refused <- tryCatch(
    dp_release("people.toml", ledger = "people.ledger", request = "more", out = "more.release"),
    BudgetError = function(error) error
  )
  stopifnot(inherits(refused, "discreet_error"), refused$exit_code == 3, refused$kind == "over-budget")
  stopifnot(grepl("why:", conditionMessage(refused)), !file.exists("more.release"))
  stopifnot(inherits(try(dp_table(made, "count"), silent = TRUE), "try-error"))
  options(discreet.command = "no-such-command")
  stopifnot(inherits(try(dp_plan("people.toml"), silent = TRUE), "try-error"))
}
