/* cron.h: schedules of CronJobs, as robfig/cron v3 reads them, with its words for what is wrong.
 */
#ifndef KT_PRACTICE_SCHEMA_CRON_H
#define KT_PRACTICE_SCHEMA_CRON_H

#include <stdbool.h>

enum { CRON_TEXT = 512 };

/* False: `complaint` holds what is wrong. */
bool cron_check(const char *schedule, char complaint[static CRON_TEXT]);

/* A time zone by its name. The system's database decides; without one every name of the right form is known. */
bool cron_zone_known(const char *name);

#endif
