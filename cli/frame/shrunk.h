#pragma once

/// A file that another program cuts short while it is mapped into memory ends a process by SIGBUS. The command says in
/// one line which file it was, and ends with CLI_FAILURE.
void cli_watch_mapped_files(void);
