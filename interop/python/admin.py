"""A script that changes and triggers a job by the client of the package
python-xxl-job-helper, and prints what it was told.

python admin.py ADMIN USER PASSWORD GROUP
"""

import asyncio
import json
import logging
import sys
from urllib.parse import urlsplit

from xxl_job_helper.client import XxlJobClient

logging.disable(logging.CRITICAL)


def show(what, value):
    print(f"{what}: {json.dumps(value)}")


async def main(admin, user, password, group):
    address = urlsplit(admin)

    def client(token=None):
        return XxlJobClient(domain=address.netloc, protocol=address.scheme, token=token, retry=1)

    first = client()
    answer = await first.do_login(user, password, is_end=True)
    show("login", [answer["code"], len(answer["data"])])
    token = first.token

    answer = await client(token).get_task_group(group)
    show("group", [answer["code"], answer["data"]["title"]])
    group_id = answer["data"]["id"]
    what = dict(task_group_name=group, task_desc="Tickets", author="zhou", alarm_email="a@example.com", delay=30,
                schedule_conf="12 12 16 23 12 ? 2099", executor_handler="ok")
    show("updated", await client(token).update_triger(**what, task_param={"a": 1}))
    show("started", await client(token).start_task(**what))
    answer = await client(token).get_task_info(group_id, "Tickets")
    job = answer["data"]
    show("job", [job[name] for name in ("jobDesc", "author", "alarmEmail", "scheduleType", "scheduleConf", "executorHandler", "executorParam", "triggerStatus")])
    show("triggered", await client(token).schedule_triger(group, "Tickets", {"b": 2}))


asyncio.run(main(*sys.argv[1:]))
