"""An executor built on pyxxl.

python peer.py ADMIN TOKEN GROUP PORT LOGS
"""

import asyncio
import logging
import os
import sys
import time

from pyxxl import ExecutorConfig, PyxxlRunner
from pyxxl.ctx import g

admin, token, group, port, logs = sys.argv[1:]
os.makedirs(logs, exist_ok=True)
app = PyxxlRunner(
    ExecutorConfig(
        xxl_admin_baseurl=admin + "/api/",
        executor_app_name=group,
        access_token=token,
        executor_listen_host="127.0.0.1",
        executor_listen_port=int(port),
        executor_log_path=os.path.join(logs, "executor.log"),
        log_local_dir=os.path.join(logs, "tasks"),
        http_retry_times=20,
        http_retry_duration=2,
        http_timeout=3,
    )
)


def now():
    return int(time.time() * 1000)


def param():
    return g.xxl_run_data.executorParams


@app.register(name="ok")
async def ok():
    g.logger.info("param %s", param())
    g.logger.info("shard %s of %s", g.xxl_run_data.broadcastIndex, g.xxl_run_data.broadcastTotal)
    return "did " + param()


@app.register(name="fail")
async def fail():
    raise RuntimeError("no " + param())


@app.register(name="throw")
async def throw():
    g.logger.info("about to throw")
    raise ValueError("thrown on purpose")


@app.register(name="sleep")
async def sleep():
    g.logger.info("begin %d", now())
    await asyncio.sleep(int(param()) / 1000)
    g.logger.info("end %d", now())


@app.register(name="lines")
def lines():
    count = int(param())
    for i in range(1, count + 1):
        g.logger.info("line %d of %d", i, count)
        if i == count // 2:
            time.sleep(2.5)


logging.getLogger().setLevel(logging.WARNING)
app.run_executor()
