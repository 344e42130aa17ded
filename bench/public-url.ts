/** The public URL of each measured service. Only with https are credentials offered. Nothing is sent to it. */
export const PUBLIC_URL = 'https://credentials.example';
