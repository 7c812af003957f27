# cmake -D PROGRAM=… -D VERSION=… -D PAGE=… -P manual_page.cmake: writes manyverbs(1) from the help of the program.
execute_process(COMMAND ${PROGRAM} --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE ";" "," help "${help}")
string(REGEX MATCH "^manyverbs: ([^\n]*)" ignored "${help}")
set(summary "${CMAKE_MATCH_1}")
set(commands "")
string(REGEX MATCHALL "\n  [a-z][^\n]*" lines "${help}")
foreach(line ${lines})
  string(REGEX MATCH "^\n  ([a-z-]+) +(.*)$" ignored "${line}")
  string(REPLACE "-" "\\-" name "${CMAKE_MATCH_1}")
  string(APPEND commands ".TP\n.B ${name}\n${CMAKE_MATCH_2}\n")
endforeach()
file(WRITE ${PAGE} ".TH MANYVERBS 1 \"\" \"manyverbs ${VERSION}\" \"User Commands\"
.SH NAME
manyverbs \\- ${summary}
.SH SYNOPSIS
.B manyverbs
.I COMMAND
[\\fIOPTIONS\\fR]
.SH DESCRIPTION
Learns from clips with one label each, where several would be right, to give all the right ones: a clip's nearest
neighbours tell which other labels it deserves, and these are no longer punished in training, or are taught too.
.SH COMMANDS
.B manyverbs
.I COMMAND
.B \\-\\-help
shows the options of a command with examples.
${commands}.SH EXIT STATUS
0: done. 1: failed. 2: wrong usage. 130: interrupted by Ctrl\\-C or SIGTERM; the same command resumes.
.SH SEE ALSO
/usr/share/doc/manyverbs/README.md and the pages in /usr/share/doc/manyverbs/docs.
")
