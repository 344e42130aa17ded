import { IncomingMessage, ServerResponse } from 'node:http';
import express, {
    type Express,
    type NextFunction,
    type Request,
    type RequestHandler,
    type Response,
    type Router,
} from 'express';
import { AppError } from '../../platform/errors.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Engine } from '../engine.ts';
import type { StaticPage } from '../pages.ts';
import type { Cors } from './cors.ts';
import { checkHeaders, exchangeOf } from './exchange.ts';

interface ApplicationOptions {
    engine: Engine;
    endpoints: readonly Endpoint[];
    pages: readonly StaticPage[];
    cors: Cors;
}

/** The Express application: a route for each endpoint and page. All other requests are answered in the envelope. */
export function application({ engine, endpoints, pages, cors }: ApplicationOptions): Express {
    const app = express();
    app.set('case sensitive routing', true);
    app.set('strict routing', true);
    app.set('query parser', false);
    app.set('etag', false);
    app.set('x-powered-by', false);

    app.use((request: Request, response: Response, next: NextFunction) => {
        checkHeaders(request);
        const exchange = exchangeOf(response);
        if (!cors.allow(exchange)) return next();
        return engine.succeed(exchange, 'Preflight');
    });
    app.use(routesOf(endpoints, engine));
    app.use((_request: Request, response: Response, next: NextFunction) => {
        const exchange = exchangeOf(response);
        if (!cors.allowAll(exchange)) return next();
        return engine.succeed(exchange, 'Preflight');
    });
    for (const page of pages) app.get(page.path, engine.show(page));
    for (const [path, methods] of methodsByPath([...endpoints, ...pages])) {
        app.route(path).all((_request: Request, response: Response) => {
            const exchange = exchangeOf(response);
            exchange.headers['Allow'] = methods;
            return engine.fail(exchange, new AppError('method_not_allowed', `This path accepts ${methods}.`));
        });
    }
    app.use((_request: Request, response: Response) =>
        engine.fail(exchangeOf(response), new AppError('not_found', 'There is no such path.')),
    );
    app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
        const exchange = exchangeOf(response);
        cors.allowAll(exchange); // it has had no route
        return engine.fail(exchange, error);
    });
    return app;
}

/**
 * Passes a request on to a router with the endpoints of its resource, such as /v1/credentials. One router with all would
 * compare each request with dozens of paths, which took `me` 10 µs.
 */
function routesOf(endpoints: readonly Endpoint[], engine: Engine): RequestHandler {
    const routers = new Map<string, Router>();
    for (const endpoint of endpoints) {
        const resource = resourceOf(endpoint.path);
        const router = routers.get(resource) ?? express.Router({ caseSensitive: true, strict: true });
        routers.set(resource, router);
        const method = endpoint.method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete'; // as in the type Method
        router[method](expressPath(endpoint.path), engine.handle(endpoint));
    }
    return (request, response, next) => {
        const router = routers.get(resourceOf(request.path)) ?? routers.get('');
        // A router would answer OPTIONS by itself.
        if (router && request.method !== 'OPTIONS') router(request, response, next);
        else next();
    };
}

/** The resource of a path: /v1/credentials of /v1/credentials/verify. Empty if the path has another form. */
function resourceOf(path: string): string {
    return /^(?:\/internal)?\/v1\/[^/]+/.exec(path)?.[0] ?? '';
}

/**
 * The classes of requests and responses that a server of this application must create. Express sets the prototype of
 * every request and response, which takes about 7 µs and makes every later use of the object slower. Objects of these
 * classes already have that prototype.
 */
export function messageClasses(app: Express) {
    class GatewayRequest extends IncomingMessage {}
    class GatewayResponse extends ServerResponse {}
    app.request = Object.setPrototypeOf(GatewayRequest.prototype, app.request);
    app.response = Object.setPrototypeOf(GatewayResponse.prototype, app.response);
    return { IncomingMessage: GatewayRequest, ServerResponse: GatewayResponse };
}

/** Converts `/v1/keys/{key_id}` to Express's notation, `/v1/keys/:key_id`. */
function expressPath(path: string): string {
    return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function methodsByPath(endpoints: ReadonlyArray<Pick<Endpoint, 'path' | 'method'>>): Map<string, string> {
    const grouped = Map.groupBy(endpoints, (endpoint) => expressPath(endpoint.path));
    return new Map(
        [...grouped].map(([path, group]) => {
            const methods = group.map((endpoint) => endpoint.method as string);
            if (methods.includes('GET')) methods.push('HEAD');
            return [path, methods.sort().join(', ')];
        }),
    );
}
