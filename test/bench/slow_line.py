"""slow_line.py PORT DELAY_MS MBIT - stands before a server on this machine like a long line: each way takes half of
DELAY_MS, a new connection as much as an exchange, and all answers together have MBIT a second. Prints its port. For each
line of its input, it prints the requests and the bytes of answers since the line before."""
import asyncio
import sys

port, delay, rate = int(sys.argv[1]), float(sys.argv[2]) / 2000, float(sys.argv[3]) * 125000
requests = answered = 0
free = 0.0  # when the line has sent all that it was given


async def carry(reader, writer, is_answer, begin):
    """Each piece leaves when the line is free, and arrives after the delay."""
    global requests, answered, free
    clock, queue = asyncio.get_running_loop().time, asyncio.Queue()

    async def deliver():
        while (item := await queue.get()) is not None:
            await asyncio.sleep(max(0, item[0] - clock()))
            writer.write(item[1])
        writer.close()
    delivery = asyncio.create_task(deliver())
    while data := await reader.read(16384):
        at = max(clock(), begin)
        if is_answer:
            answered += len(data)
            free = at = max(at, free) + len(data) / rate
        else:
            requests += data.startswith((b"GET ", b"HEAD "))
        queue.put_nowait((at + delay, data))
    queue.put_nowait(None)
    await delivery


async def serve(reader, writer):
    server_reader, server_writer = await asyncio.open_connection("127.0.0.1", port)
    begin = asyncio.get_running_loop().time() + 2 * delay
    await asyncio.gather(carry(reader, server_writer, False, begin), carry(server_reader, writer, True, begin),
                         return_exceptions=True)


async def main():
    global requests, answered
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    while await asyncio.to_thread(sys.stdin.readline):
        print(requests, answered, flush=True)
        requests = answered = 0


asyncio.run(main())
