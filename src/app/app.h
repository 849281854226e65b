/* app.h: the program: command table, options, and finding the cluster.
 */
#ifndef KT_APP_APP_H
#define KT_APP_APP_H

/* The whole program but for the process: returns the exit code of docs/cli.md. */
int app_main(int argc, char **argv);

#endif
