# A thin package over the command line: each function runs one command with --json and reads its answer.
# Nothing here decides about privacy, and no number is changed.

# The command, as words: options(discreet.command = c("python", "-m", "discreet")) sets another one.
command_words <- function() getOption("discreet.command", "discreet")

dp_command <- function(...) {
  words <- c(command_words(), ..., "--json")
  said <- suppressWarnings(system2(
    words[1], vapply(words[-1], shQuote, ""), stdout = TRUE, stderr = FALSE
  ))
  reply <- tryCatch(
    jsonlite::fromJSON(paste(said, collapse = "\n"), simplifyVector = FALSE),
    error = function(...) NULL
  )
  if (is.null(reply)) {
    stop("the command '", words[1], "' gave no answer: is the Python package discreet installed? ",
      "options(discreet.command = ...) says where it is",
      call. = FALSE
    )
  }
  if (!isTRUE(reply$ok)) {
    stop(structure(
      class = c(reply$error, "discreet_error", "error", "condition"),
      list(
        message = paste0(reply$what, "\n  why: ", reply$why, "\n  fix: ", reply$fix),
        call = NULL, exit_code = reply$exit_code, kind = reply$kind
      )
    ))
  }
  structure(reply, class = "discreet_reply")
}

option_of <- function(name, value) if (is.null(value)) NULL else c(name, path.expand(value))

dp_plan <- function(file, ledger = NULL) {
  dp_command("plan", path.expand(file), option_of("--ledger", ledger))
}

dp_rehearse <- function(file, out = NULL) {
  dp_command("rehearse", path.expand(file), option_of("--out", out))
}

dp_release <- function(file, ledger = NULL, out = NULL, request = NULL) {
  dp_command(
    "release", path.expand(file), option_of("--ledger", ledger), option_of("--out", out),
    if (is.null(request)) NULL else c("--request", request)
  )
}

dp_show <- function(release) dp_command("show", path.expand(release))

dp_verify <- function(release, ledger = NULL) {
  dp_command("verify", path.expand(release), option_of("--ledger", ledger))
}

dp_table <- function(release, name = NULL) {
  reply <- if (is.character(release)) dp_show(release) else release
  statistics <- reply$release$statistics
  labels <- vapply(statistics, function(one) one$label, "")
  if (is.null(name) && length(labels) == 1) name <- labels
  if (is.null(name) || !name %in% labels) {
    stop("name one of: ", paste(labels, collapse = "; "), call. = FALSE)
  }
  answer <- statistics[[match(name, labels)]]$answer
  column <- function(place) {
    cells <- lapply(answer$rows, function(row) if (is.null(row[[place]])) NA else row[[place]])
    if (length(cells)) unlist(cells) else logical(0) # a question may have no rows
  }
  columns <- lapply(seq_along(answer$columns), column)
  names(columns) <- unlist(answer$columns)
  as.data.frame(columns, check.names = FALSE, stringsAsFactors = FALSE)
}

print.discreet_reply <- function(x, ...) {
  cat("<discreet ", x$command, ">\n", sep = "")
  if (!is.null(x$title)) cat(x$title, "\n", sep = "")
  for (line in x$lines) {
    by <- if (isTRUE(line$divided_by_rows)) " over its number of rows" else ""
    cat("  ", line$label, ": \u00b1", format(line$half_width), by, "\n", sep = "")
  }
  for (one in x$release$statistics) cat("  ", one$label, "\n", sep = "")
  for (check in x$checks) cat("  ok: ", format(check), "\n", sep = "")
  invisible(x)
}
