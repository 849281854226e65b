"""A way to an API server that can be cut: cut.py HOST PORT FILE [OWN-PORT] forwards a port of 127.0.0.1, whose number it writes to FILE, until it is
ended."""
import asyncio, os, sys


async def pump(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    writer.close()


async def main(host, port, file, own="0"):
    async def serve(reader, writer):
        there, back = await asyncio.open_connection(host, int(port))
        await asyncio.gather(pump(reader, back), pump(there, writer))

    server = await asyncio.start_server(serve, "127.0.0.1", int(own))
    with open(file + ".new", "w") as out:
        print(server.sockets[0].getsockname()[1], file=out)
    os.rename(file + ".new", file)  # never half of it
    await server.serve_forever()


asyncio.run(main(*sys.argv[1:]))
